import { withTimeLimit, systemClock } from '@proctor/clock';
import type { Place } from './place';
import type { Figure, Mark, Numbers, OpenRow, Row } from './row';

export interface Spread {
  min: number;
  median: number;
  max: number;
}

/** A figure as it was measured. */
export interface Judged {
  figure: Figure;
  measured: Spread;
  /** Null where there is nothing to compare with. */
  bare: Spread | null;
  /** What the mark is about: the ratio or difference of each round, or the measured number itself. */
  judged: Spread;
  /** Null without a mark. */
  isMet: boolean | null;
}

/** Ends a row that hangs, so that the test of the bench fails and names the row. */
const QUICK_ROW_MAX_MS = 100_000;

/** Measures a row and what it is compared with in turns, so that a machine whose speed drifts treats both alike. */
export async function judge(row: Row, place: Place): Promise<Judged[]> {
  const whole = async (): Promise<Round[]> => {
    const open = await row.open(place);
    const rounds = await measure(open, place.isQuick ? 1 : row.rounds, place.isQuick);
    await open.close();
    return rounds;
  };
  try {
    const rounds = await (place.isQuick
      ? withTimeLimit(whole(), row.name, QUICK_ROW_MAX_MS, systemClock)
      : whole());
    return row.figures.map((figure) => judgeFigure(figure, rounds));
  } finally {
    await place.undoLeftovers();
  }
}

interface Round {
  measured: Numbers;
  bare: Numbers;
}

async function measure(open: OpenRow, count: number, isQuick: boolean): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = isQuick || count === 1 ? 0 : -1; round < count; round += 1) {
    // The second finds warmer caches, so they alternate.
    const bareFirst = round % 2 !== 0;
    const early = bareFirst ? await open.bare?.() : undefined;
    const measured = await open.measured();
    const bare = (bareFirst ? early : await open.bare?.()) ?? {};
    if (round >= 0) rounds.push({ measured, bare });
  }
  return rounds;
}

function judgeFigure(figure: Figure, rounds: Round[]): Judged {
  const { of, against, by = 'ratio', mark } = figure;
  const measured = rounds.map((round) => numberOf(round.measured, of));
  if (against === undefined) {
    const spread = spreadOf(measured);
    return { figure, measured: spread, bare: null, judged: spread, isMet: isMet(spread.median, mark) };
  }
  const bare = rounds.map((round) => numberOf(round.bare, against));
  const compared = spreadOf(
    measured.map((value, round) => (by === 'ratio' ? value / bare[round]! : value - bare[round]!)),
  );
  return {
    figure,
    measured: spreadOf(measured),
    bare: spreadOf(bare),
    judged: compared,
    isMet: isMet(compared.median, mark),
  };
}

function numberOf(numbers: Numbers, name: string): number {
  const value = numbers[name];
  if (value === undefined || !Number.isFinite(value)) throw new Error(`no number ${name} was measured`);
  return value;
}

function isMet(value: number, mark: Mark): boolean | null {
  if (mark === null) return null;
  return 'atLeast' in mark ? value >= mark.atLeast : value <= mark.atMost;
}

export function spreadOf(values: number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { min: sorted[0] ?? NaN, median: percentile(sorted, 0.5), max: sorted.at(-1) ?? NaN };
}

/** The smallest value that is not exceeded by `share` (0 to 1) of the values, in any order; NaN without values. */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
