import { BusStrategy, type BusContext } from '@proctor/bus';
import type { MemoryBroker } from '@test/support/memory-bus';
import {
  REFUSED_REPORTS,
  REPORT_PATTERNS,
  REQUEST_PATTERNS,
  SUBJECTS,
  subjectOf,
  type RefusedReport,
} from '@proctor/contracts';
import type { AttemptToStop, SlotsToWake } from '@proctor/dispatch';
import type { ActorPorts, ActorSettings } from '@apps/scheduler/src/dispatcher/actor-ports';
import { DispatchController } from '@apps/scheduler/src/dispatcher/dispatch.controller';
import { Sightings } from '@apps/scheduler/src/dispatcher/sightings';
import { WorkerStreams } from '@apps/scheduler/src/dispatcher/worker-streams';
import { DispatcherActor } from '@apps/scheduler/src/dispatcher/dispatcher-actor';
import { Dispatchers } from '@apps/scheduler/src/dispatcher/dispatchers';
import { FactPublishers } from '@apps/scheduler/src/facts/fact-publishers';
import { OwnershipKeeper } from '@apps/scheduler/src/ownership/ownership-keeper';
import { OwnedServices } from '@apps/scheduler/src/ownership/owned-service';
import type { OwnershipTerm } from '@apps/scheduler/src/ownership/ownership-term';
import { ClaimTimer } from '@apps/scheduler/src/reports/claim-timer';
import { FinishedReports } from '@apps/scheduler/src/reports/finished-reports';
import { ReportsController } from '@apps/scheduler/src/reports/reports.controller';
import type { MemoryBooks } from '../memory-books';
import type { SimulatedDatabase } from './simulated-database';
import { FaultyBooks } from './faulty-books';
import { ProcessStore, type MemoryStore } from './memory-store';
import { ProcessBus } from './process-bus';
import { SimulatedProcess } from './simulated-process';

export interface SchedulerParts {
  database: SimulatedDatabase;
  broker: MemoryBroker;
  store: MemoryStore;
  architectures: string[];
  ownershipTtlMs: number;
  settings: ActorSettings;
  /** The product's own when absent. */
  makeActor?: MakeActor | undefined;
}

/** @param books as they are, whatever the actor's connection says of them */
export type MakeActor = (
  term: OwnershipTerm,
  ports: ActorPorts,
  settings: ActorSettings,
  books: MemoryBooks,
) => DispatcherActor;

const PUBLISHING = { pollMs: 5_000, pauseMs: 100, factsPerLookMax: 10 };

/** One life of a scheduler process: its real code on simulated surroundings. */
export class SimulatedScheduler {
  readonly process: SimulatedProcess;
  readonly bus: ProcessBus;
  /** The terms of the architectures that it may believe to own. */
  private readonly terms = new Map<string, OwnershipTerm>();
  private readonly keeper: OwnershipKeeper;
  private readonly publishers: FactPublishers;

  constructor(
    readonly name: string,
    private readonly parts: SchedulerParts,
  ) {
    const { database, broker, store, architectures, ownershipTtlMs, settings } = parts;
    this.process = new SimulatedProcess(name, database.clock);
    this.bus = new ProcessBus(broker, this.process);
    const books = new FaultyBooks(database, this.process);
    this.publishers = new FactPublishers(books, this.bus, this.process.clock, () => PUBLISHING);
    const strategy = new BusStrategy(this.bus, this.process.clock);
    const dispatchers: Dispatchers = new Dispatchers(
      strategy,
      (term) => this.makeActor(term, dispatchers),
      this.process.clock,
    );
    const reports = new FinishedReports(
      dispatchers,
      books,
      this.bus,
      new ProcessStore(store, this.process, database.random),
      new ClaimTimer(this.process.clock, () => settings.dispatch.leaseRenewMs),
    );
    const streams = new WorkerStreams(this.bus, this.process.clock);
    const sightings = new Sightings({ recordSeen: () => Promise.resolve() }, this.process.clock);
    const dispatch = new DispatchController(dispatchers, streams, sightings);
    const testbeds = { add: () => undefined };
    const metrics = { countRedelivery: () => undefined };
    connect(strategy, dispatch, new ReportsController(dispatchers, reports, testbeds, metrics));
    this.bus.onReconnect(() => dispatchers.onReachable());
    this.keeper = new OwnershipKeeper(
      books,
      new OwnedServices(dispatchers, this.publishers),
      this.process.clock,
      {
        scheduler: name,
        architectures,
        ownershipTtlMs,
        isConnected: () => this.bus.isConnected(),
        notifyReleased: () => this.bus.signal(SUBJECTS.architecturesReleased, {}),
      },
    );
    this.bus.subscribe(SUBJECTS.architecturesReleased, () => this.keeper.onReleased());
    void this.keeper.start();
  }

  /** Architectures that it would answer for, as far as it knows. */
  get believedEpochs(): Map<string, number> {
    return new Map([...this.terms].map(([arch, { epoch }]) => [arch, epoch]));
  }

  kill(): void {
    this.process.kill();
    void this.bus.close();
  }

  private makeActor(term: OwnershipTerm, dispatchers: Dispatchers): DispatcherActor {
    const { database, settings, makeActor } = this.parts;
    this.terms.set(term.arch, term);
    const ports = {
      journal: new FaultyBooks(database, this.process),
      clock: this.process.clock,
      isReachable: () => this.bus.isConnected(),
      signalStop: ({ worker, ...stop }: AttemptToStop) =>
        this.bus.signal(subjectOf(SUBJECTS.stopAttempt, worker), stop),
      onFactsCommitted: (arch: string) => this.publishers.onFactsCommitted(arch),
      onWorkersRegistered: (arch: string, workers: string[]) =>
        dispatchers.onWorkersRegistered(arch, workers),
      recordSightings: () => undefined,
      signalWorkWaiting: (arch: string, idleSlots: SlotsToWake[] | null) => {
        if (!idleSlots) this.bus.signal(subjectOf(SUBJECTS.workWaiting, arch), {});
        for (const { worker, slots } of idleSlots ?? [])
          this.bus.signal(subjectOf(SUBJECTS.slotsWanted, worker), { arch, slots });
      },
    };
    if (makeActor) return makeActor(term, ports, settings, database.books);
    return new DispatcherActor(term, ports, settings);
  }
}

/** What Nest does with the controllers' decorators. */
function connect(strategy: BusStrategy, dispatch: DispatchController, reports: ReportsController): void {
  const on = (subject: string, handle: (payload: unknown, context: BusContext) => unknown) =>
    strategy.addHandler(subject, (payload: unknown, context: BusContext) =>
      Promise.resolve().then(() => handle(payload, context)),
    );
  on(REQUEST_PATTERNS.lease, (payload, context) => dispatch.lease(payload, context));
  on(REQUEST_PATTERNS.renew, (payload, context) => dispatch.renew(payload, context));
  on(REQUEST_PATTERNS.return, (payload, context) => dispatch.return(payload, context));
  on(SUBJECTS.explain, (payload, context) => dispatch.explain(payload, context));
  on(SUBJECTS.status, (payload, context) => dispatch.status(payload, context));
  on(SUBJECTS.runsSubmitted, (payload, context) => dispatch.runsSubmitted(payload, context));
  on(SUBJECTS.ordersWaiting, (payload, context) => dispatch.ordersWaiting(payload, context));
  on(SUBJECTS.workersChanged, (payload, context) => dispatch.workersChanged(payload, context));
  on(REPORT_PATTERNS.started, (payload, context) => reports.onStarted(payload, context));
  on(REPORT_PATTERNS.finished, (payload, context) => reports.onFinished(payload, context));
  on(REFUSED_REPORTS, (payload, context) => reports.onRefused(payload as RefusedReport, context));
}
