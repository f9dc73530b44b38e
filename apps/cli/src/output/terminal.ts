const ESCAPE = String.fromCharCode(27);
const [LINE, TAB, RETURN] = ['\n', '\t', '\r'];

/** Controls, what turns the order of characters, and what ends a line without saying so; a colour may follow the first. */
const SIGNS =
  /((?<!\r)\r+\n|[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069])(\[[0-9;]{0,20}m)?/gu;

/**
 * A text of another origin, of several lines, for a terminal. Colours remain. A carriage return that would write over its line begins
 * another one, and what turns the order of characters is named; other controls are left out.
 */
export function forTerminal(text: string): string {
  return text.replace(SIGNS, (_all, sign: string, colour: string | undefined) => shown(sign, colour ?? ''));
}

function shown(sign: string, colour: string): string {
  if (sign === ESCAPE) return colour === '' ? '' : sign + colour;
  return (sign.endsWith(LINE) ? LINE : sign === TAB ? TAB : sign === RETURN ? LINE : named(sign)) + colour;
}

function named(sign: string): string {
  const code = sign.codePointAt(0)!;
  return code < 0xa0 ? '' : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
