import { createHash } from 'node:crypto';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { IsText } from './text';
import { IsWholeFrom } from './whole-number';

/** Lines of an excerpt: the error itself, and the lines before and after it. */
export const EXCERPT_LINES_MAX = 5;
/** The limit of a line of an excerpt, in UTF-16 units. */
export const EXCERPT_LINE_LENGTH_MAX = 300;

/** The highest number of a line: the rows count with 32 bits. */
const LINE_MAX = 2_000_000_000;

/** The lines around the first error of a log. */
export class ErrorExcerpt {
  /** The number of its first line in the log; 1 is the log's first. */
  @IsWholeFrom(1, LINE_MAX)
  firstLine: number;

  /** The number of the line with the error in the log. */
  @IsWholeFrom(1, LINE_MAX)
  errorLine: number;

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(EXCERPT_LINES_MAX)
  @IsText(EXCERPT_LINE_LENGTH_MAX, { each: true })
  lines: string[];
}

/** Hexadecimal digits of a signature. */
const SIGNATURE_LENGTH = 16;

/**
 * What may differ between two logs of one error, and its replacement. The order counts: an address in a URL is not a path, and a
 * version is more than its first number.
 */
const VARYING: [RegExp, string][] = [
  [/\b(?=[a-z])(?<=(?<![a-z0-9+.-])[0-9+.-]*)[a-z0-9+.-]+:\/\/[^\s'"<>]+/gi, 'URL'],
  [/(?:\.{0,2}\/|~\/|\b(?=\w)(?<=(?<![\w.+-])[.+-]*)[\w.+-]+\/)[^\s'"`:,;()<>[\]]*/g, 'PATH'],
  [/\b0x[0-9a-f]+\b/gi, 'N'],
  [/\b(?=[a-f]*\d)[0-9a-f]{8,}(?:-[0-9a-f]{4,})*\b/gi, 'N'],
  [/\bv?\d+(?:[.:+~-]\w+)+/g, 'N'],
  [/\d+/g, 'N'],
];

/**
 * 16 hexadecimal digits that are equal for two errors that differ only in paths, numbers, addresses, versions and
 * white space. They are good for grouping, and prove nothing.
 */
export function errorSignature({ lines }: Pick<ErrorExcerpt, 'lines'>): string {
  const same = VARYING.reduce((text, [varying, word]) => text.replace(varying, word), lines.join('\n'));
  const text = same.replace(/[^\S\n]+/g, ' ').replace(/^ | $/gm, '');
  return createHash('sha256').update(text).digest('hex').slice(0, SIGNATURE_LENGTH);
}
