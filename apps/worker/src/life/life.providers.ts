import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger, type Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Bus } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import { attemptTimeoutMs } from '../attempt/attempt-timeout';
import { ObservedRuns } from '../attempt/observed-runs';
import { SandboxedCanaries } from '../attempt/sandboxed-canaries';
import { CLOCK, CONFIGURATION, type WorkerProcessConfiguration } from '../configuration.token';
import { MACHINE, type Machine } from '../machine/machine';
import { DiskOutbox } from '../reports/outbox';
import { resultsPath } from '../reports/result-folder';
import { WriteProbe } from '../reports/write-probe';
import type { Sandboxes } from '../sandbox/sandboxes';
import { AskTurns } from '../slot/ask-turns';
import { BusLeaseClient } from '../slot/bus-lease-client';
import { BusySlots } from '../slot/busy-slots';
import { DispatcherFeatures } from '../slot/dispatcher-features';
import { Epochs } from '../slot/epochs';
import { Notices } from '../slot/notices';
import { Slot } from '../slot/slot';
import type { SlotParts, SlotSettings } from '../slot/slot-parts';
import { Standings } from '../slot/standings';
import { findMachineState } from '../testbed/machine-state';
import { ResourceGuard } from '../testbed/resource-guard';
import { OFFER_CHANGED } from '../testbed/testbed.providers';
import { Testbeds } from '../testbed/testbeds';
import { WorkerLife } from './life';
import { Worker, type WorkerParts } from './worker';

/** Injection token of the list of slots. */
const SLOTS = Symbol('slots');
@Injectable()
class ProcessSlotParts implements SlotParts {
  @Inject(BusLeaseClient) readonly client: BusLeaseClient;
  @Inject(DiskOutbox) readonly outbox: DiskOutbox;
  @Inject(ObservedRuns) readonly runner: ObservedRuns;
  @Inject(SandboxedCanaries) readonly canaries: SandboxedCanaries;
  @Inject(ResourceGuard) readonly testbeds: ResourceGuard;
  @Inject(Epochs) readonly epochs: Epochs;
  @Inject(Notices) readonly notices: Notices;
  @Inject(Standings) readonly standings: Standings;
  readonly turns: AskTurns;
  readonly busy: BusySlots;
  readonly log = new Logger('Slot');
  readonly settings: SlotSettings;
  readonly previous: readonly string[];
  readonly newAskId = randomUUID;
  readonly random = Math.random;

  constructor(
    @Inject(CONFIGURATION) configuration: WorkerProcessConfiguration,
    { previous }: WorkerLife,
    @Inject(MACHINE) { architectures }: Machine,
    @Inject(CLOCK) readonly clock: Clock,
  ) {
    this.turns = new AskTurns(clock);
    this.settings = slotSettings(configuration);
    this.busy = new BusySlots(architectures, configuration.worker.slots, clock, this.settings.retryMs);
    this.previous = previous;
  }
}

@Injectable()
class ProcessParts implements WorkerParts {
  @Inject(SLOTS) readonly slots: Slot[];
  @Inject(DiskOutbox) readonly outbox: DiskOutbox;
  @Inject(WriteProbe) readonly probe: WriteProbe;
  @Inject(Testbeds) readonly testbeds: Testbeds;
  @Inject(CLOCK) readonly clock: Clock;
  readonly log = new Logger('Worker');
  readonly name: string;
  readonly architectures: string[];
  readonly sandboxes: Sandboxes;

  constructor(
    @Inject(CONFIGURATION) private readonly configuration: WorkerProcessConfiguration,
    @Inject(MACHINE) { architectures, sandboxes }: Machine,
    private readonly runs: ObservedRuns,
  ) {
    this.name = configuration.worker.name;
    this.architectures = architectures;
    this.sandboxes = sandboxes;
  }

  timesLeft = (): number[] => {
    const { worker } = this.configuration;
    return this.runs
      .listPublic()
      .map((run) => Math.max(0, attemptTimeoutMs(worker, run.package) - run.seconds * 1000));
  };
}

/** Providers of the results that wait until they are recorded. */
const RESULTS: Provider[] = [
  {
    provide: WriteProbe,
    inject: [CONFIGURATION, CLOCK],
    useFactory: ({ worker }: WorkerProcessConfiguration, clock: Clock) =>
      new WriteProbe(resultsPath(worker), clock),
  },
  {
    provide: DiskOutbox,
    inject: [CONFIGURATION, Bus, WriteProbe, DispatcherFeatures, CLOCK],
    useFactory: (
      { worker }: WorkerProcessConfiguration,
      bus: Bus,
      probe: WriteProbe,
      dispatchers: DispatcherFeatures,
      clock: Clock,
    ) => {
      const notKept = (why: string) => probe.onSaveFailed(why);
      const log = new Logger('Outbox');
      return new DiskOutbox({
        path: resultsPath(worker),
        bus,
        dispatchers,
        clock,
        log,
        random: Math.random,
        onSaveFailed: notKept,
      });
    },
  },
];

/** Providers of the state of dispatchers that all slots of the worker share. */
const DISPATCHERS: Provider[] = [
  {
    provide: Epochs,
    inject: [CONFIGURATION, CLOCK],
    useFactory: (configuration: WorkerProcessConfiguration, clock: Clock) => {
      const lowerEpochWaitMs = () => configuration.worker.lowerEpochWaitMs;
      return new Epochs({ clock, log: new Logger('Slot'), lowerEpochWaitMs });
    },
  },
  DispatcherFeatures,
  { provide: Notices, useFactory: () => new Notices(new Logger('Notices')) },
  {
    provide: Standings,
    inject: [CLOCK],
    useFactory: (clock: Clock) => new Standings(clock, new Logger('Standing')),
  },
];

export const LIFE_PROVIDERS: Provider[] = [
  ...RESULTS,
  ...DISPATCHERS,
  {
    provide: OFFER_CHANGED,
    inject: [ModuleRef],
    // Looked up at the call, since the worker itself needs the backends that call it.
    useFactory: (module: ModuleRef) => () => module.get(Worker).wake(),
  },
  {
    provide: ResourceGuard,
    inject: [CONFIGURATION, Testbeds, WriteProbe, DiskOutbox, CLOCK],
    useFactory: (
      configuration: WorkerProcessConfiguration,
      testbeds: Testbeds,
      probe: WriteProbe,
      outbox: DiskOutbox,
      clock: Clock,
    ) => {
      const limits = () => configuration.worker;
      const results = { problem: () => probe.problem, waiting: () => outbox.waiting };
      return new ResourceGuard({ testbeds, limits, results, clock, log: new Logger('ResourceGuard') });
    },
  },
  {
    provide: BusLeaseClient,
    inject: [Bus, WorkerLife, DispatcherFeatures, CONFIGURATION],
    useFactory: (
      bus: Bus,
      life: WorkerLife,
      features: DispatcherFeatures,
      configuration: WorkerProcessConfiguration,
    ) => new BusLeaseClient(bus, life, features, () => findMachineState(configuration.worker)),
  },
  ProcessSlotParts,
  {
    provide: SLOTS,
    inject: [CONFIGURATION, MACHINE, WorkerLife, ProcessSlotParts],
    useFactory: (
      { worker: { name, slots } }: WorkerProcessConfiguration,
      { architectures }: Machine,
      { incarnation }: WorkerLife,
      parts: SlotParts,
    ) =>
      Array.from(
        { length: slots },
        (_, slot) => new Slot({ worker: name, incarnation, slot }, architectures, parts),
      ),
  },
  ProcessParts,
  {
    provide: Worker,
    inject: [ProcessParts],
    useFactory: (parts: ProcessParts) => new Worker(parts),
  },
];

function slotSettings(configuration: WorkerProcessConfiguration): SlotSettings {
  return {
    replyTimeoutMs: 5_000,
    retryMs: 2_000,
    stopTimeoutMs: 2_000,
    keepTimeoutMs: 20_000,
    get answerWaitMs() {
      return configuration.worker.answerWaitMs;
    },
  };
}
