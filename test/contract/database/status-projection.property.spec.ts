import type { RunRequest, PackageVerdict } from '@proctor/contracts';
import type { Pin } from '@proctor/request-fields';
import type { PackageStatus } from '@proctor/database';
import fc from 'fast-check';
import { ARCH, finish, grant, outcome } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { Runs } from './runs';

const PACKAGES = ['hello', 'glibc'];
const SUITES = ['bookworm', 'sid'];

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

const PINS: Pin[] = [['src:glibc', 'sid']];

const endFields = {
  package: fc.constantFrom(...PACKAGES),
  suite: fc.constantFrom(...SUITES),
  verdict: fc.constantFrom<PackageVerdict>('pass', 'fail', 'pass', 'fail', 'neutral', 'tmpfail'),
  version: fc.constantFrom('1.0-1', '1.0-1', '1.0-1', '1.0-1', '1.0-2', 'n/a'),
  durationSeconds: fc.integer({ min: 1, max: 40 }),
};
const weighted = <Kind extends string>(kind: Kind, weight: number) => {
  return { weight, arbitrary: fc.record({ kind: fc.constant(kind), ...endFields }) };
};
const event = fc.oneof(
  weighted('finished', 12),
  weighted('pinned', 2),
  weighted('private', 2),
  weighted('cancelled', 1),
  weighted('given up', 1),
  weighted('publish', 2),
  weighted('correct', 2),
  weighted('project', 5),
);

interface Ended {
  verdict: PackageVerdict;
  version: string;
  durationSeconds: number;
}

it('the status of each package is what its runs make it, in whatever order they end, are published and corrected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 60, maxLength: 140 }), async (events) => {
      await fixture.client.query(
        'truncate runs, attempts, orders, packages, package_statuses, status_progress',
      );
      const hidden: number[] = [];
      const givenUp: number[] = [];
      for (const { kind, package: name, suite, ...result } of events) {
        const place = { package: name, suite };
        if (kind === 'project') await project();
        else if (kind === 'publish')
          await fixture.database.publications.publish(hidden.splice(0, 1), fixture.submitter.keyId);
        else if (kind === 'correct') await correct(givenUp.shift(), result);
        else if (kind === 'cancelled') await runs.cancelled(place);
        else if (kind === 'given up') givenUp.push(await giveUp(place));
        else if (kind === 'private') hidden.push(await end({ ...place, isPrivate: true }, result));
        else await end(kind === 'pinned' ? { ...place, pinPackages: PINS } : place, result);
      }
      await project();
      const expected = await plainly();
      expect(await statuses()).toEqual(expected);
      // As a deployment makes them that had none, and once more over those that are there.
      await fixture.client.query('truncate package_statuses, status_progress');
      await project();
      expect(await statuses()).toEqual(expected);
      await fixture.client.query('truncate status_progress');
      await project();
      expect(await statuses()).toEqual(expected);
    }),
    { numRuns: 8 },
  );
});

it('there is no news of statuses once those of all runs are made, until another run ends', async () => {
  const { statusProjection } = fixture.database;
  await end({ package: PACKAGES[0]! }, { verdict: 'pass', version: '1-1', durationSeconds: 5 });
  // The first pass begins below the horizon that its own runs raise.
  for (let pass = 0; pass < 3; pass += 1) await project();
  expect(await statusProjection.hasNews(ARCH)).toBe(false);
  await end({ package: PACKAGES[0]! }, { verdict: 'fail', version: '1-1', durationSeconds: 5 });
  expect(await statusProjection.hasNews(ARCH)).toBe(true);
});

const statuses = () => fixture.database.publicRuns.packageStatuses(PACKAGES);

/** What comes after it is of a later second, so that it is not met only for having come at the same time. */
async function project(): Promise<void> {
  const { statusProjection } = fixture.database;
  if (await statusProjection.hasNews(ARCH)) while (await statusProjection.step(ARCH));
  await fixture.client.query('update horizons set second = second + 2');
}

async function end(change: Partial<RunRequest>, result: Ended): Promise<number> {
  const runId = await runs.leased(change);
  await fixture.commit(ARCH, [finish(runId, 1, result)]);
  return runId;
}

/** Its lease has expired for the last time. */
async function giveUp(change: Partial<RunRequest>): Promise<number> {
  const runId = await runs.waiting(change);
  const nothing = { verdict: 'tmpfail', version: null, durationSeconds: null, exitCode: null } as const;
  await fixture.commit(ARCH, [
    grant(runId, 1),
    {
      ...{ kind: 'finish', runId, attempt: 1, attemptOutcome: 'expired', worker: null },
      outcome: outcome({ ...nothing, files: [], message: 'the lease expired' }),
    },
  ]);
  return runId;
}

async function correct(runId: number | undefined, result: Ended): Promise<void> {
  if (runId === undefined) return;
  await fixture.commit(ARCH, [
    { kind: 'correct', runId, attempt: 1, worker: 'w1', outcome: outcome(result) },
  ]);
}

/** A row of `runs` that is public, finished and not cancelled. */
interface PlainRun {
  run_id: number;
  package: string;
  suite: string;
  verdict: PackageVerdict;
  version: string;
  trigger: string | null;
  finished_at: Date;
  duration_seconds: number | null;
  pinned: boolean;
}

/** The statuses as a plain program makes them from a list of all runs of a package. */
async function plainly(): Promise<PackageStatus[]> {
  const { rows } = await fixture.client.query<PlainRun>(`
    select run_id, package, suite, verdict, version, trigger, finished_at, duration_seconds,
      jsonb_array_length(pin_packages) > 0 as pinned
    from runs where state = 'finished' and not is_private and not cancelled order by finished_at, run_id`);
  return [...PACKAGES].sort().flatMap((name) =>
    [...SUITES].sort().flatMap((suite) => {
      const here = rows.filter((run) => run.package === name && run.suite === suite);
      return here.some(({ pinned }) => !pinned) ? [statusOf(name, suite, here)] : [];
    }),
  );
}

function statusOf(name: string, suite: string, shownRuns: PlainRun[]): PackageStatus {
  const relevant = shownRuns.filter(({ pinned }) => !pinned);
  const latest = relevant.at(-1)!;
  const passed = relevant.findLast((run) => run.verdict === 'pass' || run.verdict === 'neutral');
  const sincePass = relevant.slice(passed ? relevant.indexOf(passed) + 1 : 0);
  const failing = sincePass.find((run) => run.verdict === 'fail');
  const failure = relevant.findLast((run) => run.verdict === 'fail');
  const sinceFailure = failure ? relevant.slice(relevant.indexOf(failure) + 1) : [];
  const recovered = sinceFailure.find((run) => run.verdict === 'pass' || run.verdict === 'neutral');
  const saying = relevant.filter((run) => run.verdict !== 'tmpfail');
  const seconds = saying
    .slice(-60)
    .flatMap((run) => run.duration_seconds ?? [])
    .slice(-30);
  const runOf = (run: PlainRun) => ({ runId: run.run_id, version: run.version, date: run.finished_at });
  return {
    ...{ package: name, suite, arch: ARCH },
    latest: { ...runOf(latest), verdict: latest.verdict },
    previousVerdict: relevant.at(-2)?.verdict ?? null,
    lastPass: passed ? runOf(passed) : null,
    failingSince: failing ? { ...runOf(failing), trigger: failing.trigger } : null,
    recovered: recovered ? { ...runOf(recovered), trigger: recovered.trigger } : null,
    strip: shownRuns.slice(-30).map((run) => ({
      verdict: run.verdict,
      isPinned: run.pinned,
      isNewVersion: isNewVersion(run, shownRuns.slice(-31)),
    })),
    ...flakiness(saying),
    durations:
      seconds.length === 0 ? null : { medianSeconds: nth(seconds, 0.5), p95Seconds: nth(seconds, 0.95) },
    isLonger: seconds.length >= 10 && nth(seconds.slice(-5), 0.5) > 1.5 * nth(seconds.slice(-25, -5), 0.5),
  };
}

function isNewVersion(run: PlainRun, shownRuns: PlainRun[]): boolean {
  const testedRuns = shownRuns.slice(0, shownRuns.indexOf(run)).filter(({ version }) => version !== 'n/a');
  return run.version !== 'n/a' && testedRuns.length > 0 && testedRuns.at(-1)!.version !== run.version;
}

function flakiness(saying: PlainRun[]): Pick<PackageStatus, 'flakiness' | 'isFlaky'> {
  const shares = saying.slice(-60).map((_, place, all) => {
    let changes = 0;
    for (let at = Math.max(1, place - 28); at <= place; at++) {
      const [before, after] = [all[at - 1]!, all[at]!];
      if (before.version !== after.version) continue;
      if ((before.verdict === 'fail') !== (after.verdict === 'fail')) changes++;
    }
    return changes / 30;
  });
  const steady = shares.findLastIndex((share) => share < 0.1);
  return { flakiness: shares.at(-1) ?? 0, isFlaky: shares.slice(steady + 1).some((share) => share >= 0.2) };
}

/** The value below or at which this share of all lies. */
function nth(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.find((_, place) => (place + 1) / sorted.length >= share)!;
}
