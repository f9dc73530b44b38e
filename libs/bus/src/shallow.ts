import { MalformedMessage } from '@proctor/contracts';

/** Depth of nested objects and lists: the deepest message has four. */
export const DEPTH_MAX = 16;
/** Values of a message, including unknown fields: the longest request has some 8,000. */
export const VALUES_MAX = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const SEPARATORS = new Set([0x2c, 0x3a]);

/**
 * Scans a JSON text once without parsing it: parsing a text that is too deep or has too many values would cost far more
 * than its length.
 * @throws MalformedMessage for such a text
 */
export function requireShallow(text: string): void {
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (SEPARATORS.has(code)) values += 1;
    else if (CLOSING.has(code)) depth -= 1;
    else if (OPENING.has(code) && ++depth > DEPTH_MAX)
      throw new MalformedMessage(`the payload is nested more than ${DEPTH_MAX} deep`);
    if (values > VALUES_MAX)
      throw new MalformedMessage(`the payload has more than ${VALUES_MAX} names and values`);
  }
}

/** The index of the end of the string that starts at `from`. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
