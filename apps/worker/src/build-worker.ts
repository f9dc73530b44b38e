import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Bus } from '@proctor/bus';
import { grantOf } from '@proctor/contracts';
import { systemClock } from '@proctor/clock';
import type { Configuration } from '@proctor/config';
import { attemptTimeoutMs } from './attempt/attempt-timeout';
import { SandboxedCanaries } from './attempt/sandboxed-canaries';
import { SandboxedRunner, type AppendLog, type RunnerSettings } from './attempt/sandboxed-runner';
import { ObservedRuns } from './health/observed-runs';
import { WorkerHealth } from './health/worker-health';
import type { Life } from './life/life';
import type { Machine } from './machine/machine';
import { runnerVersion } from './machine/runner-version';
import { DELIVERY_SETTINGS, DiskOutbox } from './reports/outbox';
import { WriteProbe } from './reports/write-probe';
import { BusDispatchClient } from './slot/bus-dispatch-client';
import { Epochs } from './slot/epochs';
import { Notices } from './slot/notices';
import type { SlotParts, SlotSettings } from './slot/slot-parts';
import { Slot } from './slot/slot';
import { Standings } from './slot/standings';
import type { Sandboxes } from './sandbox/sandboxes';
import type { Backend } from './testbed/backend';
import { buildBackends } from './testbed/build-backends';
import { SelfProtection } from './testbed/self-protection';
import { Testbeds } from './testbed/testbeds';
import { Worker } from './life/worker';

const SLOT_SETTINGS = { replyTimeoutMs: 5_000, retryMs: 2_000, stopTimeoutMs: 2_000 };

/** A worker, and what tells how it is. */
export interface BuiltWorker {
  worker: Worker;
  health: WorkerHealth;
}

/** Puts a worker together from its configuration, whose limits may change while it lives. */
export function buildWorker(
  configuration: Pick<Configuration, 'worker'>,
  machine: Machine,
  bus: Bus,
  life: Life,
): BuiltWorker {
  const { name, workPath, slots: slotCount } = configuration.worker;
  const resultsPath = join(workPath, 'results');
  const { sandboxes, architectures } = machine;
  const wake = () => worker.wake();
  const backends = buildBackends(configuration, machine, wake);
  const testbeds = buildTestbeds(configuration, backends, sandboxes, wake);
  const { probe, outbox } = buildOutbox(resultsPath, bus);
  const settings = (): RunnerSettings => ({ ...configuration.worker, resultsPath });
  const append: AppendLog = (grant, chunk) => bus.appendLog(name, grantOf(grant), chunk);
  const runner = new SandboxedRunner(
    sandboxes,
    testbeds,
    append,
    settings,
    systemClock,
    new Logger('Runner'),
  );
  const runs = new ObservedRuns(runner, systemClock);
  const canaries = new SandboxedCanaries(sandboxes, testbeds, settings, systemClock, new Logger('Canaries'));
  const offer = new SelfProtection(
    testbeds,
    () => configuration.worker,
    { problem: () => probe.problem, waiting: () => outbox.waiting },
    systemClock,
    new Logger('SelfProtection'),
  );
  const notices = new Notices(new Logger('Notices'));
  const standings = new Standings(systemClock, new Logger('Standing'));
  const parts: SlotParts = {
    client: new BusDispatchClient(bus, life),
    outbox,
    runner: runs,
    canaries,
    testbeds: offer,
    notices,
    previous: life.previous,
    standings,
    ...slotSurroundings(configuration),
  };
  const slots = Array.from(
    { length: slotCount },
    (_, slot) => new Slot({ worker: name, incarnation: life.incarnation, slot }, architectures, parts),
  );
  const worker = new Worker(
    name,
    architectures,
    slots,
    outbox,
    probe,
    testbeds,
    sandboxes,
    () => timesLeft(configuration, runs),
    systemClock,
    new Logger('Worker'),
  );
  bus.onReconnect(() => worker.reconnected());
  const sources = { worker, bus, runs, outbox, offer, notices, testbeds, standings, backends };
  return { worker, health: new WorkerHealth(configuration.worker, sources, systemClock, Date.now) };
}

/** Where results are kept, and what looks whether they can be. */
function buildOutbox(resultsPath: string, bus: Bus): { outbox: DiskOutbox; probe: WriteProbe } {
  const probe = new WriteProbe(resultsPath, systemClock);
  const notKept = (why: string) => probe.failed(why);
  const log = new Logger('Outbox');
  return { probe, outbox: new DiskOutbox(resultsPath, bus, systemClock, log, DELIVERY_SETTINGS, notKept) };
}

/** What slots go by, beside what they are connected to. */
function slotSurroundings(
  configuration: Pick<Configuration, 'worker'>,
): Pick<SlotParts, 'epochs' | 'clock' | 'log' | 'settings' | 'newAskId' | 'random'> {
  const log = new Logger('Slot');
  const settings: SlotSettings = {
    ...SLOT_SETTINGS,
    get answerWaitMs() {
      return configuration.worker.answerWaitMs;
    },
  };
  const lowerEpochWaitMs = () => configuration.worker.lowerEpochWaitMs;
  const epochs = new Epochs({ clock: systemClock, log, lowerEpochWaitMs });
  return { epochs, clock: systemClock, log, settings, newAskId: randomUUID, random: Math.random };
}

/** How long each attempt under way may still take, in milliseconds. */
function timesLeft({ worker }: Pick<Configuration, 'worker'>, runs: ObservedRuns): number[] {
  return runs.current().map((run) => Math.max(0, attemptTimeoutMs(worker, run.package) - run.seconds * 1000));
}

function buildTestbeds(
  { worker: { variants, sizeClasses } }: Pick<Configuration, 'worker'>,
  backends: Backend[],
  sandboxes: Sandboxes,
  wake: () => void,
): Testbeds {
  const log = new Logger('Testbeds');
  return new Testbeds(backends, variants, sizeClasses, sandboxes, runnerVersion, systemClock, log, wake);
}
