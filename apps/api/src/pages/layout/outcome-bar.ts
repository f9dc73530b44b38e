import { OUTCOMES, type Outcome, type Outcomes } from '@proctor/database';
import type { Html } from './html';
import { markup } from './html';
import { shape, type ShapeName } from './mark';

const [WIDTH, HEIGHT] = [200, 16];
/** A part of the bar is at least this wide, so that one failure among a thousand tests can be seen. */
const PART_MIN = 4;

interface Look {
  shape: ShapeName;
  /** After the number of tests. */
  words: string;
  /** The height means the same as the colour. */
  height: number;
}

const LOOKS: Record<Outcome, Look> = {
  passed: { shape: 'pass', words: 'passed', height: 8 },
  failed: { shape: 'fail', words: 'failed', height: 16 },
  broken: { shape: 'tmpfail', words: 'could not run', height: 12 },
  untested: { shape: 'gone', words: 'not in the suite', height: 4 },
  running: { shape: 'running', words: 'running', height: 4 },
  waiting: { shape: 'queued', words: 'waiting', height: 2 },
};

/** The outcomes of tests as a bar as wide as its place, with a part for each outcome. Its words must be beside it. */
export function outcomeBar(outcomes: Outcomes): Html {
  const present = OUTCOMES.filter((outcome) => outcomes[outcome] > 0);
  const total = present.reduce((sum, outcome) => sum + outcomes[outcome], 0);
  const widths = fittingWidths(present.map((outcome) => (outcomes[outcome] / total) * WIDTH));
  let start = 0;
  const parts = present.map((outcome, index) => {
    const { shape: name, height } = LOOKS[outcome];
    const x = start;
    start += widths[index]!;
    return markup`<rect class="${name}" x="${x}" y="${HEIGHT - height}" width="${widths[index]}" height="${height}"/>`;
  });
  return markup`<svg class="outcomes" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

/** The numbers of tests with each outcome, with icons: `18 passed  6 failed`. */
export function outcomeWords(outcomes: Outcomes, spriteUrl: string): Html {
  const parts = OUTCOMES.filter((outcome) => outcomes[outcome] > 0).map((outcome) => {
    const { shape: name, words } = LOOKS[outcome];
    return markup`<li class="status ${name}">${shape(name, spriteUrl)}${outcomes[outcome]} ${words}</li>`;
  });
  return markup`<ul class="outcome-words">${parts}</ul>`;
}

/** Whole widths that fill the bar. Parts that would be too narrow take their width from the widest. */
function fittingWidths(widths: number[]): number[] {
  const fitting = widths.map((width) => Math.max(PART_MIN, Math.round(width)));
  const widest = fitting.indexOf(Math.max(...fitting));
  const rest = WIDTH - fitting.reduce((sum, width) => sum + width, 0);
  return fitting.map((width, index) => (index === widest ? width + rest : width));
}
