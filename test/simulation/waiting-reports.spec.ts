import { registered } from '../support/runs';
import { MemoryBroker } from '@test/support/memory-bus';
import type { FinishedReport, ReportOrigin } from '@proctor/contracts';
import { StoreUnavailable } from '@proctor/store';
import { runRequest } from '../support/run-request';
import { silenceLog } from '../support/silent-log';
import { MemoryBooks } from './memory-books';
import { SimulatedDatabase } from './world/simulated-database';
import { FaultInjector } from './world/fault-injector';
import { MemoryStore } from './world/memory-store';
import { actorSettings } from './world/plan';
import { Random } from './world/random';
import { SimulatedScheduler } from './world/simulated-scheduler';
import { SimulatedWorker } from './world/simulated-worker';
import { VirtualClock } from './world/virtual-clock';

const ARCH = 'amd64';
const LEASE_TTL_MS = 60_000;
/** Ownership is taken over, the rows are loaded, and the first tick comes. */
const TAKEOVER_MS = 15_000;

silenceLog();

/** A tmpfail would be tried again. */
const passed = (report: FinishedReport) => ({ ...report, verdict: 'pass' });

/** Two workers with one slot each, each executing a run, and nothing that goes wrong by itself. */
async function open() {
  const clock = new VirtualClock();
  const random = new Random(1);
  const faults = new FaultInjector(random);
  faults.end();
  const books = new MemoryBooks(
    () => clock.now(),
    () => undefined,
    registered('w1', 'w2'),
  );
  const broker = new MemoryBroker({ clock, deliver: (message) => faults.fateOf(message) });
  const database = new SimulatedDatabase({ books, clock, random, faults });
  const store = new MemoryStore();
  const settings = actorSettings(1, 'chaos');
  const parts = { database, broker, store, architectures: [ARCH], ownershipTtlMs: 5_000, settings };
  const boot = (name: string) => new SimulatedScheduler(name, parts);
  const nothing = () => undefined;
  const events = {
    ...{
      staged: nothing,
      answered: nothing,
      keeping: nothing,
      isKept: nothing,
      testEnds: nothing,
      packs: nothing,
      stopsTooLate: nothing,
      unkept: nothing,
      replied: nothing,
      stopSignalled: nothing,
      lifeBegins: nothing,
      lifeEnds: nothing,
    },
    ...{ executionStopped: nothing, executionBegins: nothing, reporting: passed },
  };
  const until = async (isSo: () => boolean) => {
    for (let waited = 0; !isSo(); waited += 100) {
      expect(waited).toBeLessThan(3_600_000);
      await clock.runUntil(clock.now() + 100);
    }
  };
  // Each worker is the only one for its suite.
  const work = (name: string, suite: string) => {
    const row = books.draw(runRequest({ suite, arch: ARCH }), 'ada');
    row.committed = true;
    const worker = new SimulatedWorker({
      ...{ name, slots: 1, architectures: [ARCH], suites: [suite], clock, broker, random, faults, events },
      ...{ disk: new Map(), lives: [], isBroken: false, trace: nothing },
    });
    return { worker, run: () => books.look(row.runId)! };
  };
  const first = boot('s1');
  const [reporting, silent] = [work('w1', 'sid'), work('w2', 'trixie')];
  await until(() => [reporting, silent].every(({ run }) => run().state === 'running'));
  return { clock, broker, store, books, boot, until, first, reporting, silent };
}

it('a report that waits for the next owner holds its own run for as long as the store is away, and no other', async () => {
  const { clock, broker, store, boot, until, first, reporting, silent } = await open();
  first.kill();
  silent.worker.kill();
  await until(() => broker.reports.waiting(ARCH).some(({ kind }) => kind === 'finished'));
  reporting.worker.kill();
  const put = jest.spyOn(store, 'save').mockRejectedValue(new StoreUnavailable('the store', 'it is away'));

  boot('s2');
  await clock.runUntil(clock.now() + TAKEOVER_MS + LEASE_TTL_MS);
  expect(silent.run().attempts.map(({ outcome }) => outcome)).toEqual(['expired']);
  await clock.runUntil(clock.now() + 20 * LEASE_TTL_MS);
  expect(reporting.run()).toMatchObject({ state: 'running', attempt: 1 });

  put.mockRestore();
  await until(() => reporting.run().state === 'finished');
  expect(reporting.run().attempts.map(({ outcome }) => outcome)).toEqual(['finished']);
});

it('a report that waits for the next owner counts after an outage that was longer than a lease, and nothing is run again', async () => {
  const { clock, broker, boot, until, first, reporting } = await open();
  first.kill();
  const isReported = ({ kind, worker }: ReportOrigin) => kind === 'finished' && worker === 'w1';
  await until(() => broker.reports.waiting(ARCH).some(isReported));
  reporting.worker.kill();
  await clock.runUntil(clock.now() + 10 * LEASE_TTL_MS);
  boot('s2');
  await until(() => reporting.run().state === 'finished');
  expect(reporting.run().attempts.map(({ outcome }) => outcome)).toEqual(['finished']);
});
