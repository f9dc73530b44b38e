/** Two ways of doing something, timed in turn so that a machine whose speed drifts treats both alike. */
export interface Pair {
  name: string;
  /** What `measured` and `baseline` stand for. */
  measured: { what: string; run: () => Promise<void> | void };
  baseline: { what: string; run: () => Promise<void> | void };
  rounds: number;
}

export interface PairResult {
  name: string;
  /** Median milliseconds. */
  measuredMs: number;
  baselineMs: number;
  /** measured / baseline, pair by pair. */
  ratio: { min: number; median: number; max: number };
}

export async function measure(pair: Pair): Promise<PairResult> {
  await pair.measured.run();
  await pair.baseline.run();
  const measured: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round < pair.rounds; round += 1) {
    measured.push(await timed(pair.measured.run));
    baseline.push(await timed(pair.baseline.run));
  }
  const ratios = sorted(measured.map((ms, round) => ms / (baseline[round] ?? NaN)));
  return {
    name: pair.name,
    measuredMs: median(sorted(measured)),
    baselineMs: median(sorted(baseline)),
    ratio: { min: ratios[0] ?? NaN, median: median(ratios), max: ratios.at(-1) ?? NaN },
  };
}

async function timed(run: () => Promise<void> | void): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function sorted(values: number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

function median(values: number[]): number {
  return values[Math.floor(values.length / 2)] ?? NaN;
}
