import { Problem, refused } from './problem';

/** A request for 20,000 runs with everything that an item may have stays far below. */
const VALUES_MAX = 2_000_000;
/** Everything of the interface is at most five deep. */
const DEPTH_MAX = 64;

const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map((sign) => sign.charCodeAt(0));
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = ['[', ']', '{', '}'].map((sign) =>
  sign.charCodeAt(0),
);

/**
 * Looks at a JSON text before it is parsed: `[],[],[],…` would take twenty times its size in memory, and what nests a
 * hundred thousand deep could not be walked.
 * @throws Problem 413 for too many values, 400 for too deep nesting
 */
export function checkJsonSize(text: string, what: string, pointer: string | null): void {
  let values = 0;
  let depth = 0;
  for (let place = 0; place < text.length; place += 1) {
    const sign = text.charCodeAt(place);
    if (sign === QUOTE) {
      place = endOfString(text, place);
    } else if (sign === COMMA) {
      values += 1;
    } else if (sign === OPEN_LIST || sign === OPEN_OBJECT) {
      values += 1;
      depth += 1;
      if (depth > DEPTH_MAX) throw refused(`${what} is nested more than ${DEPTH_MAX} deep.`, pointer);
    } else if (sign === CLOSE_LIST || sign === CLOSE_OBJECT) {
      depth -= 1;
    }
    if (values > VALUES_MAX) throw new Problem(413, `${what} has more than ${VALUES_MAX} values.`);
  }
}

/** The place of the closing quote; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, end));
  return end;
}

function isEscaped(text: string, place: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(place - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
