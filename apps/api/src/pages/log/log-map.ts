import type { TestStatus } from '@proctor/contracts';
import type { LogIndex, LogSection } from '@proctor/result-files';
import { markup } from '../layout/html';
import type { Html } from '../layout/html';
import { lineUrl } from './log-places';
import type { ShownPart } from './log-places';

/** Of the drawing, which is stretched to the height of the screen. */
const [WIDTH, HEIGHT] = [40, 1000];
/** A shorter log is seen as a whole. */
const LINES_MIN = 100;
/** Marks that are nearer to each other than one of so many steps are one link. */
const STEPS = 200;
/** The least height of what is drawn, so that it can be seen. */
const LEAST = 2;

/** What the width of a test's mark shows is shown by its colour too. */
const DRAWN: Record<TestStatus | 'none', { name: string; width: number }> = {
  FAIL: { name: 'fail', width: 24 },
  FLAKY: { name: 'tmpfail', width: 18 },
  PASS: { name: 'pass', width: 12 },
  SKIP: { name: 'neutral', width: 8 },
  none: { name: 'other', width: 4 },
};

/**
 * A log from its first line above to its last one below, as a drawing of 40 × 1000: its tests with their
 * outcomes on the left, its errors as links on the right, and what the page shows of it. Everything in it is
 * also in the outline and in the links between errors.
 * @returns null for a log that is short
 */
export function logMap(index: LogIndex, shown: ShownPart, logUrl: string): Html | null {
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
      markup`<a href="${lineUrl(mark, shown, logUrl)}" tabindex="-1"><title>Error in line ${mark}</title><rect class="error" x="26" y="${y(mark)}" width="14" height="${HEIGHT / STEPS}"/></a>`,
  );
  const isWhole = shown.first <= 1 && shown.last >= lines;
  const here = isWhole
    ? null
    : markup`<rect class="here" x="1" y="${y(shown.first)}" width="38" height="${height(shown.first, shown.last + 1)}"/>`;
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
