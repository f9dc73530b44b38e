import { EXCERPT_LINE_LENGTH_MAX, oneLine } from '@proctor/contracts';

const TAB_COLUMNS = 8;
// eslint-disable-next-line no-control-regex -- it is about control characters
const TO_BEGINNING = /(?:\u001b\[|\u009b)[01]?G/g;
/** White space except a blank, and control characters. */
const UNEVEN = /[^\S ]|\p{Cc}/u;

/**
 * A line of a log for an excerpt. Indent and spaces stay, since they give a traceback its shape; tabs become blanks,
 * and each other control character becomes one blank. A line that is too long loses blanks first, so its signature does
 * not depend on them.
 */
export function excerptLine(text: string): string {
  const spaced = (UNEVEN.test(text) ? withBlanks(text) : text).trimEnd();
  if (spaced.length <= EXCERPT_LINE_LENGTH_MAX) return spaced.toWellFormed();
  const shortened = oneLine(text, EXCERPT_LINE_LENGTH_MAX);
  const indent = spaced.length - spaced.trimStart().length;
  return ' '.repeat(Math.min(indent, EXCERPT_LINE_LENGTH_MAX - shortened.length)) + shortened;
}

/** Replaces a terminal's other command for the start of the line by a carriage return. */
export function withReturns(text: string): string {
  return text.replace(TO_BEGINNING, '\r');
}

function withBlanks(text: string): string {
  let line = '';
  for (const [place, part] of text.split('\t').entries()) {
    if (place > 0) line += ' '.repeat(TAB_COLUMNS - (line.length % TAB_COLUMNS));
    line += part.replace(/\s|\p{Cc}/gu, ' ');
  }
  return line;
}
