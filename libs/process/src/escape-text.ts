/** Longest text of a log line, in UTF-16 units: others may have written it. */
export const LINE_LENGTH_MAX = 8_000;
/** Depth of a nested value: fields are few and flat. */
const DEPTH_MAX = 8;
const ENTRIES_MAX = 1_000;

/**
 * Control characters with ESC and line ends, characters that are invisible or change the direction of text, and halves
 * of characters.
 */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** A line of a stack from V8. */
const PLACE = /^ {4,}at ./;
const PLACES_MAX = 50;

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A text from outside on one line: characters that could start a line, or move a terminal's cursor, are written as `\n`
 * or `\x1b`.
 */
export function escapeLine(text: string): string {
  const isLong = text.length > LINE_LENGTH_MAX;
  const escaped = (isLong ? text.slice(0, LINE_LENGTH_MAX) : text).replace(HARMFUL, escapeOf);
  return isLong ? `${escaped}… (${text.length - LINE_LENGTH_MAX} more characters)` : escaped;
}

/** Escapes a text, but keeps the lines of a stack at its end, which start with blanks. */
export function escapeText(text: string): string {
  const { head, places } = parts(text);
  return [head, ...places].map(escapeLine).join('\n');
}

/** Escapes all texts of a value, and the names of its fields. An error becomes its stack with its cause. */
export function escapeValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return escapeText(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (depth >= DEPTH_MAX) return '…';
  if (value instanceof Error) return escapeText(stackOf(value));
  if (Array.isArray(value)) return value.slice(0, ENTRIES_MAX).map((each) => escapeValue(each, depth + 1));
  if (value instanceof Date) return value;
  const entries = Object.entries(value).slice(0, ENTRIES_MAX);
  return Object.fromEntries(entries.map(([name, each]) => [escapeLine(name), escapeValue(each, depth + 1)]));
}

/** The stack of an error with its cause. */
function stackOf(error: Error): string {
  const own = error.stack ?? String(error);
  const cause = error.cause === undefined ? '' : causeIn(error.cause);
  if (cause === '') return own;
  const { head, places } = parts(own);
  return [`${head}, caused by ${cause}`, ...places].join('\n');
}

/** The text before a stack, and the lines of the stack. */
function parts(text: string): { head: string; places: string[] } {
  const places: string[] = [];
  let head = text;
  for (
    let end = head.lastIndexOf('\n');
    end !== -1 && places.length < PLACES_MAX;
    end = head.lastIndexOf('\n')
  ) {
    const line = head.slice(end + 1);
    if (!PLACE.test(line)) break;
    places.unshift(line);
    head = head.slice(0, end);
  }
  return { head, places };
}

function causeIn(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : typeof cause === 'string' ? cause : '';
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  if (SHORT[character] !== undefined) return SHORT[character];
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}
