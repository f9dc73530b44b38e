import { loadConfiguration } from '@proctor/config';
import type { BlameSettings, DispatchedRun } from '@proctor/dispatch';
import { waitingRun } from '@test/support/runs';
import { Random } from '../world/random';
import { Fleet, HOUR, MINUTE, shareOf, type Damage, type Machine } from './fleet';

const SEEDS = [1, 2, 3, 4, 5, 6];
/** A fleet takes longer to simulate than one machine. */
const FLEET_SEEDS = [1, 2, 3];
const SLOTS = 2;

let blame: BlameSettings;

beforeAll(async () => {
  ({ blame } = (await loadConfiguration({ PROCTOR_CONFIG: 'config' })).scheduler);
});

const machine = (name: string, damageAt: Machine['damageAt'] = () => 'none'): Machine => ({
  ...{ name, slots: SLOTS, damageAt },
});

const isBad = (packageName: string): boolean => packageName.startsWith('bad');

/** Runs of these packages in this order, from `first` on. */
function runsOf(packages: string[], first = 1, changes: Partial<DispatchedRun> = {}): DispatchedRun[] {
  return packages.map((name, index) => waitingRun(first + index, { package: name, ...changes }));
}

function packages(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

function shuffled<T>(items: T[], seed: number): T[] {
  const random = new Random(seed + 1_000);
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

describe('one broken machine', () => {
  // Until it is judged: one failure less than enough, and one in each slot. Each time it returns: one in each slot.
  const UNTIL_JUDGED = 2 + SLOTS;
  it.each<[Damage, number[]]>([
    ['all', [UNTIL_JUDGED, 0, 0]],
    // It returns at once, and after 10 and 20 minutes; then after 40; then after 60.
    ['runs', [UNTIL_JUDGED + 3 * SLOTS, 2 * SLOTS, SLOTS]],
  ])(
    'a machine of ten that fails everything (%s) takes a bounded number of attempts an hour',
    (damage, most) => {
      for (const seed of FLEET_SEEDS) {
        const machines = packages('w', 10).map((name) =>
          machine(name, () => (name === 'w0' ? damage : 'none')),
        );
        const fleet = new Fleet({ seed, blame, machines, runs: runsOf(packages('good', 5_000)) });
        fleet.runUntil(most.length * HOUR);
        const ofHour = most.map(
          (_, hour) =>
            fleet.executed.filter(
              ({ worker, beganMs }) => worker === 'w0' && Math.floor(beganMs / HOUR) === hour,
            ).length,
        );
        ofHour.forEach((count, hour) =>
          expect([seed, hour, count <= most[hour]!, count]).toEqual([seed, hour, true, count]),
        );
        // No run was lost to it: whatever failed there passed elsewhere.
        expect(fleet.state.runs.size).toBeGreaterThan(0);
        const passed = fleet.executed.filter(({ isFailed }) => !isFailed);
        expect(new Set(passed.map(({ run }) => run.runId)).size).toBe(fleet.finishedMs.size);
        expect(
          shareOf(fleet.executed, 10 * SLOTS, [0, 3 * HOUR], ({ isFailed }) => !isFailed),
        ).toBeGreaterThan(0.89);
      }
    },
  );
});

it.each<[Damage, number]>([
  ['all', 150],
  ['runs', 1_200],
])(
  'ten machines that were broken (%s) for an hour work again within minutes of their repair',
  (damage, attemptsMax) => {
    for (const seed of FLEET_SEEDS) {
      const damageAt = (ms: number) => (ms < HOUR ? damage : 'none');
      const machines = packages('w', 10).map((name) => machine(name, damageAt));
      const fleet = new Fleet({ seed, blame, machines, runs: runsOf(packages('good', 5_000)) });
      fleet.runUntil(HOUR + 5 * MINUTE);
      expect(fleet.executed.filter(({ beganMs }) => beganMs < HOUR).length).toBeLessThan(attemptsMax);
      const working = new Set(
        fleet.executed
          .filter(({ endedMs, isFailed }) => endedMs > HOUR && !isFailed)
          .map(({ worker }) => worker),
      );
      expect([seed, working.size]).toEqual([seed, 10]);
      fleet.runUntil(HOUR + 15 * MINUTE);
      const window: [number, number] = [HOUR + 5 * MINUTE, HOUR + 14 * MINUTE];
      expect(shareOf(fleet.executed, 10 * SLOTS, window, ({ isFailed }) => !isFailed)).toBeGreaterThan(0.9);
    }
  },
);

it('one machine alone gives good packages their part beside a flood of ones that break their testbeds', () => {
  for (const seed of SEEDS) {
    const mixed = shuffled([...packages('good', 200), ...packages('bad', 200)], seed);
    const fleet = new Fleet({ seed, blame, machines: [machine('w0')], runs: runsOf(mixed), breaks: isBad });
    fleet.runUntil(12 * HOUR);
    expect([seed, fleet.state.runs.size]).toEqual([seed, 0]);
    const lastMs = Math.max(
      ...fleet.executed.filter(({ isFailed }) => !isFailed).map(({ endedMs }) => endedMs),
    );
    const share = shareOf(fleet.executed, SLOTS, [0, lastMs], ({ isFailed }) => !isFailed);
    expect([seed, share > 0.35, share]).toEqual([seed, true, share]);
  }
});

it('one machine alone starts a good run soon after attempts of any number of packages have broken their testbeds', () => {
  for (const seed of SEEDS) {
    const runs = runsOf(packages('bad', 100));
    const fleet = new Fleet({ seed, blame, machines: [machine('w0')], runs, breaks: isBad });
    fleet.runUntil(HOUR);
    const [urgent] = runsOf(['good'], 1_000, { priority: 9 });
    fleet.arrive([urgent!]);
    fleet.runUntil(HOUR + 3 * MINUTE);
    const [executed] = fleet.executed.filter(({ run }) => run.runId === 1_000);
    const waitedMs = (executed?.beganMs ?? Infinity) - HOUR;
    expect([seed, waitedMs < 2 * MINUTE, waitedMs]).toEqual([seed, true, waitedMs]);
  }
});

it('one machine alone is not held up by one bad package that is asked for 400 times', () => {
  for (const seed of SEEDS) {
    const flood = runsOf(Array.from({ length: 400 }, () => 'bad'));
    const good = runsOf(packages('good', 100), 401);
    const fleet = new Fleet({
      seed,
      blame,
      machines: [machine('w0')],
      runs: [...flood, ...good],
      breaks: isBad,
    });
    fleet.runUntil(12 * HOUR);
    expect([seed, fleet.state.runs.size]).toEqual([seed, 0]);
    const firstMs = Math.min(
      ...fleet.executed.filter(({ isFailed }) => !isFailed).map(({ beganMs }) => beganMs),
    );
    const lastMs = Math.max(
      ...fleet.executed.filter(({ isFailed }) => !isFailed).map(({ endedMs }) => endedMs),
    );
    expect([seed, firstMs < 10 * MINUTE, firstMs]).toEqual([seed, true, firstMs]);
    const share = shareOf(fleet.executed, SLOTS, [firstMs, lastMs], ({ isFailed }) => !isFailed);
    expect([seed, share > 0.8, share]).toEqual([seed, true, share]);
    // The package is not tried three times over and over.
    expect(fleet.executed.filter(({ isFailed }) => isFailed).length).toBeLessThan(450);
    expect(fleet.judged.filter(({ standing }) => standing !== 'sound')).toEqual([]);
  }
});
