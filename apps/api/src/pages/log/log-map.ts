import type { TestStatus } from '@proctor/contracts';
import type { LogIndex, LogSection } from '@proctor/result-files';
import { markup } from '../layout/html';
import type { Html } from '../layout/html';
import { lineUrl } from './log-places';
import type { ShownPart } from './log-places';

/** Size of the drawing, which is stretched to the height of the screen. */
const [WIDTH, HEIGHT] = [40, 1000];
/** A log with fewer lines has no map. */
const LINES_MIN = 100;
/** The map has this many steps; marks in the same step share one link. */
const STEPS = 200;
/** The least height of a shape, so that it is visible. */
const LEAST = 2;

/** The class and width of the mark of a test. Colour and width both show the outcome. */
const DRAWN: Record<TestStatus | 'none', { name: string; width: number }> = {
  FAIL: { name: 'fail', width: 24 },
  FLAKY: { name: 'tmpfail', width: 18 },
  PASS: { name: 'pass', width: 12 },
  SKIP: { name: 'neutral', width: 8 },
  none: { name: 'other', width: 4 },
};

/**
 * Draws the whole log in 40 × 1000, the first line at the top: the tests with their outcomes on the left, the
 * errors as links on the right, and the part that the page shows. The outline and the links between errors have
 * the same information.
 * @returns null when the log has fewer than LINES_MIN lines
 */
export function logMap(index: LogIndex, shownPart: ShownPart, logUrl: string): Html | null {
  const { lines, sections, marks } = index;
  if (lines < LINES_MIN) return null;
  const y = (line: number): number => round(((line - 1) / lines) * HEIGHT);
  const height = (from: number, to: number): number => Math.max(LEAST, round(y(to) - y(from)));
  const parts = sections.map((section, place) => {
    const end = sections[place + 1]?.line ?? lines + 1;
    return part(section, y(section.line), height(section.line, end));
  });
  const links = firstOfEach(marks, (mark) => Math.floor(((mark - 1) / lines) * STEPS)).map(
    (mark) =>
      markup`<a href="${lineUrl(mark, shownPart, logUrl)}" tabindex="-1"><title>Error in line ${mark}</title><rect class="error" x="26" y="${y(mark)}" width="14" height="${HEIGHT / STEPS}"/></a>`,
  );
  const isWhole = shownPart.first <= 1 && shownPart.last >= lines;
  const here = isWhole
    ? null
    : markup`<rect class="here" x="1" y="${y(shownPart.first)}" width="38" height="${height(shownPart.first, shownPart.last + 1)}"/>`;
  return markup`<svg class="log-map" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${parts}${here}${links}</svg>`;
}

function part({ status }: LogSection, top: number, height: number): Html {
  const { name, width } = DRAWN[status ?? 'none'];
  return markup`<rect class="${name}" x="0" y="${top}" width="${width}" height="${height}"/>`;
}

function firstOfEach(marks: number[], stepOf: (mark: number) => number): number[] {
  return marks.filter((mark, place) => place === 0 || stepOf(mark) !== stepOf(marks[place - 1]!));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
