import type { MemoryBroker } from '@test/support/memory-bus';
import type { Clock } from '@proctor/clock';
import {
  grantOf,
  parseMessage,
  PREVIOUS_MAX,
  requestSubject,
  SlotsWanted,
  StopAttemptSignal,
  SUBJECTS,
  subjectOf,
  type Grant,
  type Lease,
  type RequestKind,
  type Testbed,
} from '@proctor/contracts';
import { Standings } from '@apps/worker/src/slot/standings';
import { Epochs } from '@apps/worker/src/slot/epochs';
import { Notices } from '@apps/worker/src/slot/notices';
import {
  NotStarted,
  type AttemptResult,
  type AttemptRunner,
  type CanaryRunner,
  type LeaseClient,
  type TestbedOffer,
} from '@apps/worker/src/slot/ports';
import { AskTurns } from '@apps/worker/src/slot/ask-turns';
import { BusySlots } from '@apps/worker/src/slot/busy-slots';
import { Slot } from '@apps/worker/src/slot/slot';
import type { Executor } from './checks';
import type { FaultInjector } from './fault-injector';
import { LOG_FILE, MemoryOutbox, type Disk, type OutboxEvents } from './memory-outbox';
import { ProcessBus } from './process-bus';
import { resultOf } from './result-checks';
import type { Random } from './random';
import { SimulatedProcess } from './simulated-process';

const REPLY_TIMEOUT_MS = 5_000;
const SLOT_SETTINGS = {
  replyTimeoutMs: REPLY_TIMEOUT_MS,
  retryMs: 2_000,
  stopTimeoutMs: 5_000,
  keepTimeoutMs: 20_000,
  answerWaitMs: 30_000,
};
const lowerEpochWaitMs = () => 15_000;
const IMAGE_BUILD_MS = 20_000;
/** On a sound machine one in five smells of infrastructure. */
const VERDICTS = ['pass', 'pass', 'fail', 'fail', 'tmpfail'] as const;

export interface WorkerEvents extends OutboxEvents {
  lifeBegins(incarnation: string): void;
  lifeEnds(incarnation: string): void;
  replied(kind: RequestKind, reply: object): void;
  /** A dispatcher's signal to stop an attempt came. */
  stopSignalled(): void;
  executionBegins(grant: Grant, by: Executor): void;
  /** The test is over, and the verdict not kept yet. */
  testEnds(grant: Grant, by: Executor): void;
  /** Its files are packed from now on. */
  packs(grant: Grant): void;
  /** An attempt is stopped whose test has ended. */
  stopsTooLate(): void;
  /** The dispatcher ended it. */
  executionStopped(grant: Grant): void;
}

export interface WorkerParts {
  name: string;
  slots: number;
  architectures: string[];
  suites: string[];
  clock: Clock;
  broker: MemoryBroker;
  random: Random;
  faults: FaultInjector;
  events: WorkerEvents;
  /** Survives the process. */
  disk: Disk;
  /** Likewise: its earlier lives, the latest first. */
  lives: string[];
  /** Everything fails on it. */
  isBroken: boolean;
  trace: (line: string) => void;
}

/** One life of a worker process: the real slots, which ask, renew and hand back; executing only takes time. */
export class SimulatedWorker {
  readonly process: SimulatedProcess;
  readonly bus: ProcessBus;
  readonly incarnation: string;
  private readonly previous: string[];
  private readonly notices: Notices;
  private readonly turns: AskTurns;
  private readonly busy: BusySlots;
  private readonly slots: Slot[];
  private readonly testbeds: Testbed[];
  private isStopping = false;

  constructor(private readonly parts: WorkerParts) {
    const { name, random, clock, broker, disk, events, suites } = parts;
    this.process = new SimulatedProcess(name, clock);
    this.bus = new ProcessBus(broker, this.process);
    this.incarnation = random.uuid();
    this.previous = parts.lives.slice(0, PREVIOUS_MAX);
    parts.lives.unshift(this.incarnation);
    events.lifeBegins(this.incarnation);
    this.testbeds = suites.map((suite) => ({ suite, backend: 'unshare', state: 'absent' }));
    this.notices = new Notices({ log: parts.trace, warn: parts.trace });
    this.turns = new AskTurns(this.process.clock);
    const { retryMs } = SLOT_SETTINGS;
    this.busy = new BusySlots(parts.architectures, parts.slots, this.process.clock, retryMs);
    const outbox = new MemoryOutbox(name, disk, this.bus, this.process, events);
    this.slots = Array.from({ length: parts.slots }, (_, slot) => this.makeSlot(slot, outbox));
    for (const arch of parts.architectures) {
      this.bus.subscribe(subjectOf(SUBJECTS.workWaiting, arch), () =>
        this.slots.forEach((slot) => slot.wake()),
      );
    }
    this.bus.subscribe(subjectOf(SUBJECTS.slotsWanted, name), ({ text }) =>
      parseMessage(SlotsWanted, JSON.parse(text)).slots.forEach((slot) => this.slots[slot]?.wake()),
    );
    this.bus.subscribe(subjectOf(SUBJECTS.stopAttempt, name), ({ text }) =>
      this.stopAttempt(parseMessage(StopAttemptSignal, JSON.parse(text))),
    );
    for (const slot of this.slots) slot.start();
  }

  kill(): void {
    this.process.kill();
    this.parts.events.lifeEnds(this.incarnation);
    void this.bus.close();
  }

  /** In order: leases go back. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.slots.map((slot) => slot.stop('the worker stops')));
    this.kill();
  }

  private stopAttempt(signal: StopAttemptSignal): void {
    this.parts.events.stopSignalled();
    for (const slot of this.slots) slot.stopAttempt(signal);
  }

  private makeSlot(slot: number, outbox: MemoryOutbox): Slot {
    const { random, trace, name, architectures } = this.parts;
    const say = (message: string) => trace(`${name} slot ${slot}: ${message}`);
    const identity = { worker: name, incarnation: this.incarnation, slot };
    return new Slot(identity, architectures, {
      client: this.client(),
      outbox,
      runner: this.runner(identity),
      canaries: this.canaryRunner(),
      testbeds: this.offer(),
      epochs: new Epochs({ clock: this.process.clock, log: { log: say, warn: say }, lowerEpochWaitMs }),
      notices: this.notices,
      previous: this.previous,
      standings: new Standings(this.process.clock, { log: say, warn: say }),
      turns: this.turns,
      busy: this.busy,
      clock: this.process.clock,
      log: { log: say, warn: say },
      settings: SLOT_SETTINGS,
      newAskId: () => random.uuid(),
      random: () => random.next(),
    });
  }

  private client(): LeaseClient {
    const request = async <T extends object>(
      kind: RequestKind,
      arch: string,
      body: { worker: string },
    ): Promise<T> => {
      const subject = requestSubject(arch, body.worker, kind);
      const reply = await this.bus.request<T>(subject, body, 3 * REPLY_TIMEOUT_MS);
      this.parts.events.replied(kind, reply);
      return reply;
    };
    return {
      request: (arch, body) => request('lease', arch, body),
      renew: (arch, body) => request('renew', arch, body),
      return: (arch, body) => request('return', arch, body),
    };
  }

  private offer(): TestbedOffer {
    return {
      currentOffer: () => ({
        testbeds: this.testbeds.map((testbed) => ({ ...testbed })),
        variants: ['autopkgtest'],
      }),
      requestTestbeds: (_arch, testbedNames) => {
        for (const testbed of this.testbeds) {
          if (testbed.state !== 'absent' || !testbedNames.some(({ suite }) => suite === testbed.suite))
            continue;
          testbed.state = 'building';
          this.process.clock.after(IMAGE_BUILD_MS, () => {
            testbed.state = 'ready';
            this.slots.forEach((slot) => slot.wake());
          });
        }
      },
    };
  }

  private runner(executor: Executor): AttemptRunner {
    const { random, events, faults } = this.parts;
    return {
      run: async (lease, started, signal, keeper) => {
        const grant = grantOf(lease);
        if (faults.strikes('worker could not begin', 0.03)) throw new NotStarted('the disk is full');
        events.executionBegins(grant, executor);
        let hasEnded = false;
        signal.addEventListener('abort', () => {
          if (hasEnded) events.stopsTooLate();
          else if (!this.isStopping) events.executionStopped(grant);
        });
        await this.passes(random.between(500, 3_000), signal);
        started();
        await this.passes(
          random.chance(0.7) ? random.between(2_000, 40_000) : random.between(60_000, 150_000),
          signal,
        );
        hasEnded = true;
        keeper.onEnded();
        events.testEnds(grant, executor);
        const result = this.result(lease);
        await this.passes(random.between(0, 2_000));
        await keeper.saveVerdict(result);
        events.packs(grant);
        await this.passes(random.chance(0.7) ? random.between(0, 500) : random.between(500, 15_000));
        return result;
      },
    };
  }

  private canaryRunner(): CanaryRunner {
    return {
      execute: async (_test, signal) => {
        await this.passes(this.parts.random.between(500, 3_000), signal);
        return this.parts.isBroken
          ? { passed: false, message: 'no space left' }
          : { passed: true, message: 'all tests passed' };
      },
    };
  }

  private passes(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.process.clock.after(ms, () => (signal?.aborted ? reject(new Error('ended')) : resolve()));
    });
  }

  private result(lease: Lease): AttemptResult {
    return {
      verdict: this.parts.isBroken ? 'tmpfail' : this.parts.random.pick(VERDICTS),
      message: resultOf(lease),
      exitCode: 0,
      version: '1.0-1',
      durationSeconds: 1,
      tests: [],
      files: [{ ...LOG_FILE, path: '' }],
    };
  }
}
