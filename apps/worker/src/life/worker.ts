import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { waitAtMost, type Clock } from '@proctor/clock';
import type { RecordedSignal, StopAttemptSignal } from '@proctor/contracts';
import type { Log } from '@proctor/process';
import type { DiskOutbox } from '../reports/outbox';
import type { WriteProbe } from '../reports/write-probe';
import type { Sandboxes } from '../sandbox/sandboxes';
import type { Slot } from '../slot/slot';
import type { Testbeds } from '../testbed/testbeds';

/**
 * How long results of an earlier life may delay new work: a new incarnation shows the dispatchers that the leases of
 * the old one are lost.
 */
const LEFTOVERS_TIMEOUT_MS = 10_000;

/** How long a slow backend may delay the work for those that work already. */
const DETECTION_TIMEOUT_MS = 15_000;

/** The slots of a worker, their shared objects, and the objects that stop with them. */
export interface WorkerParts {
  name: string;
  architectures: string[];
  slots: Slot[];
  outbox: DiskOutbox;
  probe: WriteProbe;
  testbeds: Testbeds;
  sandboxes: Sandboxes;
  /** How long each running attempt may still take, in milliseconds. */
  timesLeft: () => number[];
  clock: Clock;
  log: Log;
}

/** One life of the worker process: its slots and what they share. */
export class Worker implements OnModuleInit, OnModuleDestroy {
  private stopping = false;
  private started: Promise<void> = Promise.resolve();

  constructor(private readonly parts: WorkerParts) {}

  get name(): string {
    return this.parts.name;
  }

  get architectures(): string[] {
    return this.parts.architectures;
  }

  /** Stops and removes what an earlier life left on the machine. */
  async onModuleInit(): Promise<void> {
    const names = await this.parts.sandboxes.removeLeftovers();
    if (names.length > 0) this.parts.log.warn(`removed what an earlier life left: ${names.join(', ')}`);
  }

  /** Delivers old results, checks what works on this machine, then requests work. Call it once the worker is ready. */
  start(): Promise<void> {
    this.started = this.startWork();
    return this.started;
  }

  /** Work may wait for these slots, or for all. */
  wake(numbers?: number[]): void {
    const { slots } = this.parts;
    for (const slot of numbers?.map((number) => slots[number]) ?? slots) slot?.wake();
  }

  /** The connection to NATS is back. */
  onReconnect(): void {
    this.parts.outbox.retryNow();
    this.wake();
  }

  /**
   * The server refuses this worker, so it seems to be no worker of this deployment any longer: others execute its runs
   * now.
   */
  onRefused(): void {
    for (const slot of this.parts.slots) slot.endAttempts('nats-server no longer lets this worker in');
  }

  onRecorded(signal: RecordedSignal): void {
    this.parts.outbox.onRecorded(signal);
  }

  /** Does nothing when no slot executes the attempt. */
  stopAttempt(signal: StopAttemptSignal): void {
    for (const slot of this.parts.slots) slot.stopAttempt(signal);
  }

  /**
   * Stops requesting work, and resolves when running attempts have ended and their results are recorded, or have waited
   * on disk for longer than `answerWaitMs`. A stop ends that early.
   */
  async drain(): Promise<void> {
    this.stopping = true;
    const spared = this.parts.sandboxes.drain();
    const leftMs = this.parts.timesLeft();
    const minutes = Math.ceil(Math.max(0, ...leftMs) / 60_000);
    this.parts.log.log(
      leftMs.length === 0
        ? 'draining: nothing is under way'
        : `draining: tests under way: ${leftMs.length}, for at most ${minutes} min more; ` +
            'another SIGTERM ends them and hands their leases back',
    );
    await Promise.all([spared, ...this.parts.slots.map((slot) => slot.drain('the worker drains'))]);
  }

  /** True: it takes no new work. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /**
   * Returns the leases of running attempts and stops them; undelivered results stay on disk. No process is left.
   * Signals and messages are still handled during this.
   */
  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.parts.slots.map((slot) => slot.stop('the worker stops')));
    this.parts.outbox.stop();
    this.parts.probe.stop();
    await this.parts.testbeds.close();
    await Promise.allSettled([this.started]);
    await this.parts.sandboxes.drain();
  }

  private async startWork(): Promise<void> {
    const delivered = this.parts.outbox.deliverLeftovers().catch((error: unknown) => {
      this.parts.log.warn(`results that were left on disk are not delivered: ${String(error)}`);
    });
    await waitAtMost(delivered, LEFTOVERS_TIMEOUT_MS, this.parts.clock);
    if (this.stopping) return;
    await Promise.all([
      waitAtMost(this.parts.testbeds.open(), DETECTION_TIMEOUT_MS, this.parts.clock),
      this.parts.probe.start(),
    ]);
    if (this.stopping) return;
    for (const slot of this.parts.slots) slot.start();
    this.parts.log.log(this.parts.sandboxes.limits);
    this.parts.log.log(this.parts.sandboxes.network);
    this.parts.log.log(
      `${this.parts.name} asks for work: ${this.parts.slots.length} slots for ${this.architectures.join(', ')}`,
    );
  }
}
