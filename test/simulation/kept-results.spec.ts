import { registered } from '../support/runs';
import { MemoryBroker } from '@test/support/memory-bus';
import type { FinishedReport, Grant } from '@proctor/contracts';
import { runRequest } from '../support/run-request';
import { silenceLog } from '../support/silent-log';
import { MemoryBooks } from './memory-books';
import type { Disk } from './world/memory-outbox';
import { MemoryStore } from './world/memory-store';
import { actorSettings } from './world/plan';
import { SimulatedDatabase } from './world/simulated-database';
import { FaultInjector } from './world/fault-injector';
import { Random } from './world/random';
import { SimulatedScheduler } from './world/simulated-scheduler';
import { SimulatedWorker } from './world/simulated-worker';
import { VirtualClock } from './world/virtual-clock';

const ARCH = 'amd64';
const SUITE = 'trixie';
/** Longer than a lease and the delay before the next attempt. */
const AWAY_MS = 200_000;

silenceLog();

/** One scheduler and one worker of two slots, where nothing fails by itself. */
function makeWorld(seed: number) {
  const clock = new VirtualClock();
  const random = new Random(seed);
  const faults = new FaultInjector(random);
  faults.end();
  const books: MemoryBooks = new MemoryBooks(
    () => clock.now(),
    () => undefined,
    registered('w1'),
  );
  const broker = new MemoryBroker({ clock, deliver: (message) => faults.fateOf(message) });
  const database = new SimulatedDatabase({ books, clock, random, faults });
  const settings = actorSettings(1, 'chaos');
  const architectures = [ARCH];
  const store = new MemoryStore();
  new SimulatedScheduler('s1', { database, broker, store, architectures, ownershipTtlMs: 5_000, settings });
  const executed: string[] = [];
  const disk: Disk = new Map();
  const nothing = () => undefined;
  const events = {
    ...{
      lifeBegins: nothing,
      lifeEnds: nothing,
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
      executionStopped: nothing,
    },
    reporting: (report: FinishedReport) => report,
    executionBegins: ({ runId, attempt }: Grant) => void executed.push(`${runId}/${attempt}`),
  };
  const worker = new SimulatedWorker({
    ...{ name: 'w1', slots: 2, architectures, suites: [SUITE], clock, broker, random, faults, events, disk },
    lives: [],
    isBroken: false,
    trace: nothing,
  });
  const row = books.draw(runRequest({ suite: SUITE, arch: ARCH }), 'ada');
  row.committed = true;
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await clock.runUntil(clock.now() + 100);
  };
  return { clock, books, disk, executed, worker, row, until };
}

/** A result of this attempt ends its run; a tmpfail would be tried again. */
const VERDICTS = ['pass', 'fail'];

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'a worker that was cut off brings its result before anybody executes the run again: seed %i',
  async (seed) => {
    const { clock, books, disk, executed, worker, row, until } = makeWorld(seed);
    await until(() => executed.length === 1);
    worker.bus.disconnect();
    await until(() => disk.size === 1);
    await clock.runUntil(clock.now() + AWAY_MS);
    expect(books.look(row.runId)?.state).toBe('queued');
    worker.bus.reconnect();
    await until(() => disk.size === 0);
    expect(executed).toEqual([`${row.runId}/1`]);
    const { state, outcome } = books.look(row.runId)!;
    if (VERDICTS.includes(outcome?.verdict ?? '')) expect(state).toBe('finished');
  },
);
