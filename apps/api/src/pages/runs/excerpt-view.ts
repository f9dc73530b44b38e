import type { ErrorExcerpt } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import { logLinePath } from '../../runs/page-paths';

/**
 * The lines around the first error of a log, each with its number.
 * @param around the number of lines before and after the error
 */
export function excerptView(
  { firstLine, errorLine, lines }: ErrorExcerpt,
  run: RunRecord,
  around = Number.POSITIVE_INFINITY,
) {
  return {
    logUrl: logLinePath(run, errorLine),
    errorLine,
    lines: lines
      .map((text, place) => ({ number: firstLine + place, text, isError: firstLine + place === errorLine }))
      .filter(({ number }) => Math.abs(number - errorLine) <= around),
  };
}
