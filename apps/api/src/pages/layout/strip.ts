import type { StripEntry } from '@proctor/database';
import { markup } from './html';
import type { Html } from './html';

const STRIP_LENGTH = 30;
const [WIDTH, HEIGHT] = [6, 18];

/** The path of a bar in a cell of 6 × 18 with its left edge at x. */
const DRAWN: Record<StripEntry['verdict'], (x: number) => string> = {
  pass: (x) => `M${x + 1} 9h4v7h-4z`,
  fail: (x) => `M${x + 1} 2h4v14h-4z`,
  tmpfail: (x) => `M${x + 3} 5l2.5 4-2.5 4-2.5-4z`,
  neutral: (x) => `M${x + 1} 13h4v3h-4z`,
};

/**
 * The last runs of a package on a suite and architecture, as a drawing of 6 × 18 for each, the newest on the right.
 * The height of each bar means the same as its colour.
 * @param cells the oldest first; the last 30 are drawn
 * @param since the version that failed first; empty when the package does not fail
 */
export function strip(cells: StripEntry[], url: string, since = ''): Html {
  const lastCells = cells.slice(-STRIP_LENGTH);
  const x = (index: number): number => index * WIDTH;
  const width = lastCells.length * WIDTH;
  const paths = (['pass', 'neutral', 'tmpfail', 'fail'] as const).map((verdict) => {
    const steps = lastCells.map((cell, index) => (cell.verdict === verdict ? DRAWN[verdict](x(index)) : ''));
    const path = steps.join('');
    return path ? markup`<path class="${verdict}" d="${path}"/>` : markup``;
  });
  const ticks = lastCells.map(({ isNewVersion }, index) => (isNewVersion ? `M${x(index)} 0v2` : ''));
  const dots = lastCells.map(({ isPinned }, index) => (isPinned ? `M${x(index) + 2} 17h2` : ''));
  const label = stripLabel(lastCells, since);
  const drawing = markup`<svg class="strip" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" aria-hidden="true">${paths}${line('tick', ticks)}${line('pinned', dots)}</svg>`;
  return markup`<a class="strip-link" href="${url}" aria-label="${label}" title="${label}">${drawing}</a>`;
}

function line(name: string, parts: string[]): Html {
  const path = parts.join('');
  return path ? markup`<path class="${name}" d="${path}"/>` : markup``;
}

/** `30 runs: 21 pass, 6 fail, 3 tmpfail; now failing since 2.10-3` */
export function stripLabel(cells: StripEntry[], since: string): string {
  const counts = (['pass', 'neutral', 'fail', 'tmpfail'] as const).flatMap((verdict) => {
    const count = cells.filter((cell) => cell.verdict === verdict).length;
    return count > 0 ? [`${count} ${verdict}`] : [];
  });
  const runs = cells.length === 1 ? '1 run' : `${cells.length} runs`;
  return `${runs}${counts.length > 0 ? `: ${counts.join(', ')}` : ''}${since && `; now failing since ${since}`}`;
}
