import type { DispatcherState, Journal } from '@proctor/dispatch';
import type { FinishedReport } from '@proctor/contracts';
import { DispatcherActor } from '../../apps/scheduler/src/dispatcher/dispatcher-actor';
import { LimitedJournal } from '../../apps/scheduler/src/dispatcher/limited-journal';
import type { Envelope } from '../../apps/scheduler/src/dispatcher/mailbox';
import { CommittedWork } from '../../apps/scheduler/src/dispatcher/committed-work';
import type { TurnOutcome } from '../../apps/scheduler/src/dispatcher/turn';
import { ReportsController } from '../../apps/scheduler/src/reports/reports.controller';
import { LeaseExpiry } from '../../libs/dispatch/src/lease-expiry';
import type { LeasedRun } from '../../libs/dispatch/src/leases';
import { RegisteredWorkers } from '../../libs/dispatch/src/registered-workers';
import type * as Reporting from '../../libs/dispatch/src/reporting';
import { Epochs } from '../../apps/worker/src/slot/epochs';
import { Ageing } from '../../libs/dispatch/src/ageing';
import { Judgements } from '../../libs/dispatch/src/judgements';
import { Suspects, SuspectTurns } from '../../libs/dispatch/src/suspects';
import { MemoryBooks } from './memory-books';
import { MemoryOwnership } from './memory-ownership';
import type { Weather } from './world/plan';
import { simulate } from './world/simulation';
import { silenceLog } from '../support/silent-log';

const TIMEOUT_MS = 240_000;
/** Seeds that are tried before a planted bug counts as not found. */
const SEEDS_MAX = 100;

const mockPlanted = { noAttemptCheck: false, noEpochCheck: false };

jest.mock('../../libs/dispatch/src/reporting', () => {
  const actual = jest.requireActual<typeof Reporting>('../../libs/dispatch/src/reporting');
  const believed = (state: DispatcherState, report: FinishedReport): FinishedReport => {
    const run = state.runs.get(report.runId);
    if (!run) return report;
    const { attempt, grantEpoch, latestWorker } = run;
    if (mockPlanted.noEpochCheck) return { ...report, grantEpoch };
    if (!mockPlanted.noAttemptCheck) return report;
    return { ...report, attempt, grantEpoch, worker: latestWorker ?? report.worker };
  };
  return {
    ...actual,
    onMayFinish: (state: DispatcherState, report: FinishedReport, now: number) =>
      actual.onMayFinish(state, believed(state, report), now),
    onFinished: (state: DispatcherState, report: FinishedReport, now: number) =>
      actual.onFinished(state, believed(state, report), now),
  };
});

/** Private methods of the actor that a bug is planted into. */
interface ActorInside {
  recover(state: DispatcherState, envelopes: Envelope[], failure: Error): Promise<void>;
  correct(state: DispatcherState, news: TurnOutcome): Promise<void>;
  lose(state: DispatcherState): void;
}

/** Those of the expiry of leases. */
interface ExpiryInside {
  readonly reachableSinceMs: number;
  readonly ttlMs: () => number;
  expiryMs(leased: LeasedRun): number;
}

/** Those of the books. */
interface BooksInside {
  isOwnedUnder(arch: string, epoch: number): boolean;
}

/** Those of the ownerships. */
interface OwnershipInside {
  server: number;
  isInForce(held: { server: number }): boolean;
}

interface PlantedBug {
  name: string;
  plant: () => void;
  /** What the simulation must say. */
  foundBy: RegExp;
  weather?: Weather;
  /** Where the search begins, of a bug that few seeds show. */
  firstSeed?: number;
}

const BUGS: PlantedBug[] = [
  {
    name: 'the attempt of a report is not checked',
    plant: () => void (mockPlanted.noAttemptCheck = true),
    foundBy: /was booked as the result of attempt|said to be recorded, but is not/,
  },
  {
    name: 'memory is kept after a failed commit',
    plant: () => {
      const inside = DispatcherActor.prototype as unknown as ActorInside;
      jest.spyOn(inside, 'recover').mockImplementation((_state, envelopes, failure) => {
        for (const envelope of envelopes) envelope.reject(failure);
        return Promise.resolve();
      });
    },
    foundBy: /which was not granted it|lost, it is|stopped although/,
  },
  {
    name: 'memory is kept after a write was left out',
    plant: () => {
      const inside = DispatcherActor.prototype as unknown as ActorInside;
      jest.spyOn(inside, 'correct').mockImplementation((_state, { undone }) => {
        for (const envelope of undone) envelope.reject(new Error('left out'));
        return Promise.resolve();
      });
    },
    foundBy: /which was not granted it|said to be recorded, but is not/,
  },
  {
    name: 'everything is loaded again when a write was left out',
    plant: () => {
      const inside = DispatcherActor.prototype as unknown as ActorInside;
      jest.spyOn(inside, 'correct').mockImplementation(function (this: ActorInside, state, { undone }) {
        for (const envelope of undone) envelope.reject(new Error('left out'));
        this.lose(state);
        return Promise.resolve();
      });
    },
    foundBy: /loaded all runs again though no turn had failed/,
  },
  {
    name: 'leases never expire',
    plant: () => void jest.spyOn(LeaseExpiry.prototype, 'next', 'get').mockReturnValue(undefined),
    foundBy: /lost, it is (leased|running)/,
  },
  {
    name: 'a lease that was out before a reload is measured from its grant',
    plant: () => {
      const inside = LeaseExpiry.prototype as unknown as ExpiryInside;
      jest.spyOn(inside, 'expiryMs').mockImplementation(function (this: ExpiryInside, leased) {
        const isLoaded = leased.renewedAtMs === this.reachableSinceMs;
        return (isLoaded ? leased.grantedAtMs : leased.renewedAtMs) + this.ttlMs();
      });
    },
    foundBy: /expired although its worker was there/,
    weather: 'calm',
  },
  {
    name: 'the epoch of a commit is not looked at',
    plant: () => {
      const inside = MemoryBooks.prototype as unknown as BooksInside;
      jest.spyOn(inside, 'isOwnedUnder').mockReturnValue(true);
    },
    foundBy: /wrote after a newer one/,
  },
  {
    name: 'an owner goes on in a database that was restored',
    plant: () => {
      const inside = MemoryOwnership.prototype as unknown as OwnershipInside;
      const isInForce = Reflect.get(inside, 'isInForce');
      jest.spyOn(inside, 'isInForce').mockImplementation(function (this: OwnershipInside, held) {
        return held.server !== this.server || isInForce.call(this, held);
      });
    },
    foundBy: /granted as it was before the restore, epoch included/,
  },
  {
    name: 'the epoch of a report is not checked',
    plant: () => void (mockPlanted.noEpochCheck = true),
    foundBy: /was booked as the result of attempt/,
  },
  {
    name: 'a load that hangs is waited for',
    plant: () => {
      jest.spyOn(LimitedJournal.prototype, 'load').mockImplementation(function (this: LimitedJournal, ...of) {
        return (Reflect.get(this, 'journal') as Journal).load(...of);
      });
    },
    foundBy: /no dispatcher was at work/,
  },
  {
    name: 'the answer of a stale owner is believed when it comes first',
    plant: () => void jest.spyOn(Epochs.prototype, 'accepts').mockReturnValue(true),
    foundBy: /stopped although its lease stood/,
    weather: 'calm',
    firstSeed: 82,
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
    firstSeed: 38,
  },
  {
    name: 'suspected packages are not cleared by their results',
    plant: () => void jest.spyOn(Suspects.prototype, 'clear').mockReturnValue(undefined),
    foundBy: /suspected, though its package has had a result/,
  },
  {
    name: 'suspicions are lost with a turn',
    plant: () => void jest.spyOn(Suspects.prototype, 'restore').mockReturnValue(undefined),
    foundBy: /not suspected any more/,
  },
  {
    name: 'a worker that is trusted stays as it was',
    plant: () => void jest.spyOn(Judgements.prototype, 'trusted').mockReturnValue([]),
    foundBy: /trusted, but/,
  },
  {
    name: 'a report that cannot be read is ended without an answer',
    plant: () => void jest.spyOn(ReportsController.prototype, 'refused').mockResolvedValue(),
    foundBy: /lost, it is (leased|running)/,
  },
  {
    name: 'orders are read and forgotten',
    plant: () => {
      const read = Reflect.get(CommittedWork.prototype, 'orders');
      jest.spyOn(CommittedWork.prototype, 'orders').mockImplementation(async function (
        this: CommittedWork,
        now: number,
      ) {
        await read.call(this, now);
        return [];
      });
    },
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

describe('the simulation finds a planted bug', () => {
  silenceLog();
  afterEach(() => {
    jest.restoreAllMocks();
    mockPlanted.noAttemptCheck = mockPlanted.noEpochCheck = false;
  });

  it.each(BUGS)(
    '$name',
    async ({ plant, foundBy, weather, firstSeed = 1 }) => {
      plant();
      const found: string[] = [];
      const isFound = () => found.some((violation) => foundBy.test(violation));
      for (let seed = firstSeed; seed < firstSeed + SEEDS_MAX && !isFound(); seed += 1) {
        found.push(...(await simulate(seed, undefined, weather)).violations);
      }
      expect(found).toEqual(expect.arrayContaining([expect.stringMatching(foundBy)]));
    },
    TIMEOUT_MS,
  );
});
