import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectBus } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import {
  parseMessage,
  RecordedSignal,
  SlotsWanted,
  StopAttemptSignal,
  SUBJECTS,
  subjectOf,
} from '@proctor/contracts';
import type { Lease, LeaseReply } from '@proctor/contracts';
import { endOnRequest, fail, processLogger, type Log } from '@proctor/process';
import { WorkerLife } from '@apps/worker/src/life/life';
import { DiskOutbox } from '@apps/worker/src/reports/outbox';
import { BusLeaseClient } from '@apps/worker/src/slot/bus-lease-client';
import { DispatcherFeatures } from '@apps/worker/src/slot/dispatcher-features';
import { Epochs } from '@apps/worker/src/slot/epochs';
import { Notices } from '@apps/worker/src/slot/notices';
import type { AttemptResult } from '@apps/worker/src/slot/ports';
import { AskTurns } from '@apps/worker/src/slot/ask-turns';
import { BusySlots } from '@apps/worker/src/slot/busy-slots';
import { Slot } from '@apps/worker/src/slot/slot';
import { FAILS_ONCE, resultMessage, type ExecutorPlan } from './plan';

const EXECUTION_MS = 20;
const RETRY_MS = 500;

/**
 * A worker process whose slots, outbox and bus are the product's, and whose tests only leave a line in a file: a
 * machine can have enough of those to keep a scheduler busy.
 */
async function main(): Promise<void> {
  const plan = JSON.parse(process.env['PROCTOR_SOAK_EXECUTOR'] ?? '') as ExecutorPlan;
  const bus = await connectBus(plan.credentials);
  const features = new DispatcherFeatures();
  const outbox = new DiskOutbox({
    path: plan.resultsPath,
    bus,
    dispatchers: features,
    clock: systemClock,
    log,
    random: Math.random,
    settings: { resendFirstMs: 2_000, resendMaxMs: 5_000, refusedKeptMax: 10 },
  });
  const lifePath = `${plan.resultsPath}-life`;
  mkdirSync(lifePath, { recursive: true });
  const life = await WorkerLife.start(lifePath, log);
  const slots = makeSlots(plan, new BusLeaseClient(bus, life, features, () => undefined), outbox, life);
  const wake = () => slots.forEach((slot) => slot.wake());
  for (const arch of plan.architectures) bus.subscribe(subjectOf(SUBJECTS.workWaiting, arch), wake);
  bus.subscribe(subjectOf(SUBJECTS.slotsWanted, plan.name), ({ text }) =>
    parseMessage(SlotsWanted, JSON.parse(text)).slots.forEach((slot) => slots[slot]?.wake()),
  );
  bus.subscribe(subjectOf(SUBJECTS.recorded, plan.name), ({ text }) =>
    outbox.onRecorded(parseMessage(RecordedSignal, JSON.parse(text))),
  );
  bus.subscribe(subjectOf(SUBJECTS.stopAttempt, plan.name), ({ text }) => {
    const signal = parseMessage(StopAttemptSignal, JSON.parse(text));
    slots.forEach((slot) => slot.stopAttempt(signal));
  });
  bus.onReconnect(() => {
    outbox.retryNow();
    wake();
  });
  endOnRequest(logger, plan.name, async () => {
    await Promise.all(slots.map((slot) => slot.stop('the worker stops')));
    outbox.stop();
    await bus.close();
  });
  process.send?.({ ready: true });
  outbox.deliverLeftovers().catch((error: unknown) => fail(logger, plan.name, error));
  slots.forEach((slot) => slot.start());
}

function makeSlots(plan: ExecutorPlan, client: BusLeaseClient, outbox: DiskOutbox, life: WorkerLife): Slot[] {
  const { incarnation, previous } = life;
  const notices = new Notices(log);
  const standings = { onAnswer: () => undefined };
  const epochs = new Epochs({ clock: systemClock, log, lowerEpochWaitMs: () => 15_000 });
  const turns = new AskTurns(systemClock);
  const busy = new BusySlots(plan.architectures, plan.slots, systemClock, RETRY_MS);
  const testbeds = plan.suites.map((suite) => ({ suite, backend: plan.backend, state: 'ready' as const }));
  return Array.from({ length: plan.slots }, (_, slot) => {
    const executor = `${plan.name} ${incarnation} ${slot}`;
    const file = join(plan.executionsPath, plan.name);
    return new Slot({ worker: plan.name, incarnation, slot }, plan.architectures, {
      client,
      outbox,
      runner: {
        run: async (lease, started, signal) => {
          appendFileSync(file, `${lease.runId} ${lease.attempt} ${executor}\n`);
          started();
          await pause(EXECUTION_MS, undefined, { signal });
          return resultOf(lease);
        },
      },
      canaries: { execute: () => Promise.resolve({ passed: true, message: 'all tests passed' }) },
      testbeds: {
        currentOffer: () => ({ testbeds, variants: [plan.variant] }),
        requestTestbeds: (_arch: string, _wanted: LeaseReply['wanted']) => undefined,
      },
      epochs,
      notices,
      previous,
      standings,
      turns,
      busy,
      clock: systemClock,
      log,
      settings: {
        replyTimeoutMs: 2_000,
        retryMs: RETRY_MS,
        keepTimeoutMs: 5_000,
        stopTimeoutMs: 2_000,
        answerWaitMs: 30_000,
      },
      newAskId: randomUUID,
      random: Math.random,
    });
  });
}

function resultOf(lease: Lease): AttemptResult {
  const fails = lease.trigger === FAILS_ONCE && lease.attempt === 1;
  const message = resultMessage(lease);
  const ending = { exitCode: fails ? 16 : 0, version: '1.0-1', durationSeconds: 0, tests: [], files: [] };
  return { verdict: fails ? 'tmpfail' : 'pass', message, ...ending };
}

const logger = processLogger();
/** What happens to each of a hundred thousand runs is not worth a line. */
const log: Log = { log: () => undefined, warn: (message) => logger.warn(message, 'Executor') };

main().catch((error: unknown) => fail(logger, 'Executor', error));
