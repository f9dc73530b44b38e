import type { Clock } from '@proctor/clock';
import type { AwaitedReports, Expiry } from '@proctor/database';
import type { MaintainedStore } from '@proctor/store';
import { silenceLog } from '@test/support/silent-log';
import { RetentionKeeper } from './retention-keeper';
import type { RetentionSettings } from './retention-settings';

silenceLog();

const DAY_MS = 86_400_000;
const SETTINGS = {
  enabled: true,
  everyHours: 24,
  graceDays: 7,
  timePercentMax: 50,
  packageBytesMax: 1,
  artifactsDays: 30,
  failedArtifactsDays: 90,
  logsDays: 180,
  storyDays: 400,
} as RetentionSettings;

/** The database's clock is years behind this machine's. */
const NOW = new Date('2020-02-01T00:00:00Z');

/** Looks once. @param begin from when removals are allowed @param passedAt when the last pass was */
async function look(begin: Date, passedAt: Date | null) {
  const mark = { at: passedAt ?? new Date(0), runId: 0 };
  const marks = new Map([
    ['pass', mark],
    ['sweep', { ...mark, at: NOW }],
  ]);
  const listAged = jest.fn(() => Promise.resolve([]));
  const saveMark = jest.fn(() => Promise.resolve());
  const expiry = {
    now: () => Promise.resolve(NOW),
    firstRemovalAt: () => Promise.resolve(begin),
    alone: (work: () => Promise<void>) => work(),
    marks: () => Promise.resolve(marks),
    listAged,
    saveMark,
  };
  const nothing = () => Promise.resolve([]);
  const anything = new Proxy(expiry, { get: (own, name) => own[name as keyof typeof own] ?? nothing });
  let clock!: Clock;
  const hasLooked = new Promise<void>((resolve) => {
    // Rests in a pass are short; the pause until the next look is long.
    const after = (ms: number, action: () => void) =>
      void (ms < DAY_MS / 100 ? setImmediate(action) : resolve());
    clock = { now: () => 0, after: (...timer) => (after(...timer), () => undefined) };
  });
  const keeper = new RetentionKeeper(
    anything as unknown as Expiry,
    {} as AwaitedReports,
    {} as MaintainedStore,
    clock,
    () => SETTINGS,
  );
  keeper.onApplicationBootstrap();
  await hasLooked;
  await keeper.beforeApplicationShutdown();
  return { listAged, saveMark };
}

const days = (count: number): Date => new Date(NOW.getTime() + count * DAY_MS);

it('what is old is removed by the clock of the database, which also dated the runs', async () => {
  const { listAged, saveMark } = await look(days(-1), null);
  expect(listAged.mock.calls.map(([content, before]: unknown[]) => [content, before])).toEqual([
    ['artifacts', days(-30)],
    ['logs', days(-180)],
  ]);
  expect(saveMark).toHaveBeenCalledWith('pass', { at: NOW, runId: 0 });
});

it.each([
  ['nothing is removed before the begin', days(1), null, 0],
  ['a pass is not due twice a day', days(-1), days(-0.5), 0],
  ['a pass is due the next day', days(-1), days(-1), 2],
  ['a pass is due if the clock has been set back since the last one', days(-1), days(100), 2],
])('by the clock of the database, %s', async (_, begin, passedAt, lists) => {
  const { listAged } = await look(begin, passedAt);
  expect(listAged).toHaveBeenCalledTimes(lists);
});
