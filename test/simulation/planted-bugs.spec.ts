import type { FinishedReport } from '@proctor/contracts';
import type { Journal, MessageKind, MessageOf, Replies } from '@proctor/dispatch';
import { Slot } from '@apps/worker/src/slot/slot';
import { DispatcherActor } from '@apps/scheduler/src/dispatcher/dispatcher-actor';
import { ReportsController } from '@apps/scheduler/src/reports/reports.controller';
import { HeldLease } from '@apps/worker/src/slot/held-lease';
import { SavedVerdict } from '@apps/worker/src/slot/saved-verdict';
import { Epochs } from '@apps/worker/src/slot/epochs';
import { Ageing } from '@libs/dispatch/src/ageing';
import { HandBacks } from '@libs/dispatch/src/hand-backs';
import { Judgements } from '@libs/dispatch/src/judgements';
import { LeaseExpiry } from '@libs/dispatch/src/lease-expiry';
import { RegisteredWorkers } from '@libs/dispatch/src/registered-workers';
import { Suspects, SuspectTurns } from '@libs/dispatch/src/suspects';
import { silenceLog } from '../support/silent-log';
import { MemoryOwnership, type OwnerRow } from './memory-ownership';
import type { RunRow } from './memory-books';
import type { Weather } from './world/plan';
import { simulate, type Planted } from './world/simulation';

/** Seeds that are tried before a planted bug counts as not found. */
const SEEDS_MAX = 100;

/** Changes what a dispatcher reads from its rows, or what happens to its writes. */
function withJournal(change: (right: Journal) => Partial<Journal>): Planted {
  return {
    makeActor: (term, ports, settings) => {
      const changes = change(ports.journal);
      const journal = new Proxy(ports.journal, {
        get: (right, name: keyof Journal) => changes[name] ?? right[name].bind(right),
      });
      return new DispatcherActor(term, { ...ports, journal }, settings);
    },
  };
}

/** Each finished report says of its attempt what is `believed` of the run. */
function withReports(believed: (row: RunRow) => Partial<FinishedReport>): Planted {
  return {
    makeActor: (term, ports, settings, books) => {
      class Gullible extends DispatcherActor {
        override request<K extends MessageKind>(message: MessageOf<K>): Promise<Replies[K]> {
          const { kind, report } = message as MessageOf<'may-finish' | 'finished'>;
          const row = ['may-finish', 'finished'].includes(kind) && books.look(report.runId);
          return super.request<K>(row ? { ...message, report: { ...report, ...believed(row) } } : message);
        }
      }
      return new Gullible(term, ports, settings);
    },
  };
}

const latestGrant = ({ attempt, attempts }: RunRow) => ({ attempt, grantEpoch: attempts.at(-1)?.epoch ?? 0 });

interface PlantedBug {
  name: string;
  plant: () => Planted | void;
  /** What the simulation must say. */
  foundBy: RegExp;
  weather?: Weather;
  /** Where the search begins: the seed that showed it last. */
  firstSeed?: number;
}

/** What a slot does between the end of a test and its result. */
interface ResultKeeping {
  run: (this: { abort: AbortController }) => Promise<unknown>;
}
/** What a slot does after a grant that it does not begin. */
interface Resting {
  waitAfterFailures: () => Promise<void>;
}

const RESULT_KEEPING = HeldLease.prototype as unknown as ResultKeeping;

const BUGS: PlantedBug[] = [
  {
    name: 'a stop after the end of a test throws its verdict away',
    plant: () => {
      const { run } = RESULT_KEEPING;
      jest.spyOn(RESULT_KEEPING, 'run').mockImplementation(async function (this: { abort: AbortController }) {
        const result = await run.call(this);
        return this.abort.signal.aborted ? null : result;
      });
      jest.spyOn(SavedVerdict.prototype, 'saveVerdict').mockResolvedValue();
    },
    foundBy: /its test has ended, but its verdict reached no dispatcher/,
    firstSeed: 8,
  },
  {
    name: 'a verdict is kept once its files are packed',
    plant: () => void jest.spyOn(SavedVerdict.prototype, 'saveVerdict').mockResolvedValue(),
    foundBy: /its files are packed, and its verdict is not kept yet/,
  },
  {
    name: 'a slot that hands a lease back asks, and is granted it, without a pause',
    plant: () => {
      jest.spyOn(Slot.prototype as unknown as Resting, 'waitAfterFailures').mockResolvedValue();
      jest.spyOn(HandBacks.prototype, 'restMs').mockReturnValue(0);
    },
    foundBy: /is granted more than it can execute/,
    weather: 'set back',
  },
  {
    name: 'the attempt of a report is not checked',
    plant: () => withReports((row) => ({ ...latestGrant(row), ...(row.worker && { worker: row.worker }) })),
    foundBy: /was booked as the result of attempt|said to be recorded, but is not/,
    firstSeed: 10,
  },
  {
    name: 'memory is kept after a failed commit',
    plant: () => withJournal((right) => ({ commit: (...turn) => right.commit(...turn).catch(() => []) })),
    foundBy: /which was not granted it|lost, it is|stopped although/,
  },
  {
    name: 'memory is kept after a write was left out',
    plant: () => withJournal((right) => ({ commit: (...turn) => right.commit(...turn).then(() => []) })),
    foundBy: /which was not granted it|said to be recorded, but is not/,
    firstSeed: 3,
  },
  {
    name: 'everything is loaded again when a write was left out',
    plant: () => withJournal(() => ({ listUnfinished: () => Promise.reject(new Error('not read')) })),
    foundBy: /loaded all runs again though no turn had failed/,
  },
  {
    name: 'leases never expire',
    plant: () => void jest.spyOn(LeaseExpiry.prototype, 'next', 'get').mockReturnValue(undefined),
    foundBy: /lost, it is (leased|running)/,
    firstSeed: 3,
  },
  {
    name: 'a lease that was out before a reload is measured from its grant',
    plant: () => {
      const right = Object.getOwnPropertyDescriptor(LeaseExpiry.prototype, 'next')!;
      jest.spyOn(LeaseExpiry.prototype, 'next', 'get').mockImplementation(function (this: LeaseExpiry) {
        const next = right.get!.call(this) as LeaseExpiry['next'];
        if (!next) return undefined;
        const { renewedAtMs, grantedAtMs } = next.leased;
        const since = renewedAtMs === this.reachableSinceMs ? grantedAtMs : renewedAtMs;
        return { ...next, atMs: next.atMs - (Math.max(renewedAtMs, this.reachableSinceMs) - since) };
      });
    },
    foundBy: /expired although its worker was there/,
    weather: 'calm',
  },
  {
    name: 'the epoch of a commit is not looked at',
    plant: () => ({
      Owners: class extends MemoryOwnership {
        override isOwnedUnder = () => true;
      },
    }),
    foundBy: /wrote after a newer one/,
    firstSeed: 2,
  },
  {
    name: 'an owner goes on in a database that was restored',
    plant: () => ({
      Owners: class extends MemoryOwnership {
        protected override isInForce(row: OwnerRow): boolean {
          return row.server !== this.server || super.isInForce(row);
        }
      },
    }),
    foundBy: /granted as it was before the restore, epoch included/,
    firstSeed: 4,
  },
  {
    name: 'the epoch of a report is not checked',
    plant: () => withReports((row) => ({ grantEpoch: latestGrant(row).grantEpoch })),
    foundBy: /was booked as the result of attempt/,
    firstSeed: 743,
  },
  {
    name: 'a load that hangs is waited for',
    plant: () => ({
      makeActor: (term, ports, settings) =>
        new DispatcherActor(term, ports, { ...settings, loadTimeoutMs: Infinity }),
    }),
    foundBy: /no dispatcher was at work/,
    firstSeed: 16,
  },
  {
    name: 'the answer of a stale owner is believed when it comes first',
    plant: () => void jest.spyOn(Epochs.prototype, 'accepts').mockReturnValue(true),
    foundBy: /stopped although its lease stood/,
    weather: 'calm',
    firstSeed: 148,
  },
  {
    name: 'the lowest priority goes first',
    plant: () => {
      jest.spyOn(Ageing.prototype, 'levelOf').mockImplementation((run) => -run.priority);
      jest.spyOn(Ageing.prototype, 'levelMax').mockReturnValue(Infinity);
    },
    foundBy: /granted before run \d+ of higher priority/,
  },
  {
    name: 'runs of suspected packages never have their turn',
    plant: () => void jest.spyOn(SuspectTurns.prototype, 'isDue').mockReturnValue(false),
    foundBy: /granted before run \d+ of higher priority/,
    weather: 'calm',
    firstSeed: 65,
  },
  {
    name: 'suspected packages are not cleared by their results',
    plant: () => void jest.spyOn(Suspects.prototype, 'clear').mockReturnValue(undefined),
    foundBy: /suspected, though its package has had a result/,
    firstSeed: 6,
  },
  {
    name: 'suspicions are lost with a turn',
    plant: () => void jest.spyOn(Suspects.prototype, 'restore').mockReturnValue(undefined),
    foundBy: /no longer suspected/,
    firstSeed: 18,
  },
  {
    name: 'a worker that is trusted stays as it was',
    plant: () => void jest.spyOn(Judgements.prototype, 'trust').mockReturnValue([]),
    foundBy: /trusted, but/,
    firstSeed: 11,
  },
  {
    name: 'a report that cannot be read is ended without an answer',
    plant: () => void jest.spyOn(ReportsController.prototype, 'onRefused').mockResolvedValue(),
    foundBy: /lost, it is (leased|running)/,
    firstSeed: 15,
  },
  {
    name: 'orders are read and forgotten',
    plant: () => withJournal((right) => ({ orders: (...of) => right.orders(...of).then(() => []) })),
    foundBy: /no dispatcher took it in/,
  },
  {
    name: 'the register of workers is read once',
    plant: () => void jest.spyOn(RegisteredWorkers.prototype, 'replace').mockImplementation(),
    foundBy: /granted to w\S*, which is revoked/,
  },
  {
    name: 'private runs go to any worker',
    plant: () => void jest.spyOn(RegisteredWorkers.prototype, 'mayRunPrivate').mockReturnValue(true),
    foundBy: /granted to w\S*, though it is private/,
    weather: 'calm',
  },
];

silenceLog();
afterEach(() => jest.restoreAllMocks());

it.each(BUGS)(
  'the simulation finds the planted bug that $name',
  async ({ plant, foundBy, weather, firstSeed = 1 }) => {
    const planted = { ...plant(), foundBy };
    const violations: string[] = [];
    const isFound = () => violations.some((violation) => foundBy.test(violation));
    for (let seed = firstSeed; seed < firstSeed + SEEDS_MAX && !isFound(); seed += 1) {
      violations.push(...(await simulate(seed, undefined, weather, planted)).violations);
    }
    expect(violations).toEqual(expect.arrayContaining([expect.stringMatching(foundBy)]));
  },
);
