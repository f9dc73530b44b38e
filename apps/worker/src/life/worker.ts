import { within, type Clock } from '@proctor/clock';
import type { RecordedSignal, StopAttemptSignal } from '@proctor/contracts';
import type { Log } from '@proctor/process';
import type { DiskOutbox } from '../reports/outbox';
import type { WriteProbe } from '../reports/write-probe';
import type { Sandboxes } from '../sandbox/sandboxes';
import type { Slot } from '../slot/slot';
import type { Testbeds } from '../testbed/testbeds';

/**
 * How long results of an earlier life may hold up new work: a new incarnation tells the dispatchers that the old
 * one's leases are lost.
 */
const LEFTOVERS_TIMEOUT_MS = 10_000;

/** How long a backend that takes its time may hold up the work for those that were found to work. */
const DETECTION_TIMEOUT_MS = 15_000;

/** One life of the worker process: its slots and what they share. */
export class Worker {
  private stopping = false;
  private started: Promise<void> = Promise.resolve();

  constructor(
    readonly name: string,
    readonly architectures: string[],
    private readonly slots: Slot[],
    private readonly outbox: DiskOutbox,
    private readonly probe: WriteProbe,
    private readonly testbeds: Testbeds,
    private readonly sandboxes: Sandboxes,
    /** How long each attempt under way may still take, in milliseconds. */
    private readonly timesLeft: () => number[],
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Ends and removes what an earlier life left on the machine. */
  async cleanUp(): Promise<void> {
    const names = await this.sandboxes.removeLeftovers();
    if (names.length > 0) this.log.warn(`removed what an earlier life left: ${names.join(', ')}`);
  }

  /** Delivers old results, looks what works on this machine, then asks for work. */
  start(): Promise<void> {
    this.started = this.begin();
    return this.started;
  }

  /** Work may be waiting. */
  wake(): void {
    for (const slot of this.slots) slot.wake();
  }

  /** The connection is back. */
  reconnected(): void {
    this.outbox.retryNow();
    this.wake();
  }

  recorded(signal: RecordedSignal): void {
    this.outbox.recorded(signal);
  }

  /** Does nothing when no slot executes the attempt. */
  stopAttempt(signal: StopAttemptSignal): void {
    for (const slot of this.slots) slot.stopAttempt(signal);
  }

  /**
   * Asks for no more work, and resolves when what is under way has ended and its results are in the books, or wait on disk
   * for an answer for longer than `answerWaitMs`. A stop ends that early.
   */
  async drain(): Promise<void> {
    this.stopping = true;
    const leftMs = this.timesLeft();
    const minutes = Math.ceil(Math.max(0, ...leftMs) / 60_000);
    this.log.log(
      leftMs.length === 0
        ? 'draining: nothing is under way'
        : `draining: tests under way: ${leftMs.length}, for at most ${minutes} min more; ` +
            'another SIGTERM ends them and hands their leases back',
    );
    await Promise.all(this.slots.map((slot) => slot.drain('the worker drains')));
  }

  /** It takes no more work. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** Hands back what is running and ends it; results not delivered yet stay on disk. No process is left. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.slots.map((slot) => slot.stop('the worker stops')));
    this.outbox.stop();
    this.probe.stop();
    await this.testbeds.close();
    await Promise.allSettled([this.started]);
  }

  private async begin(): Promise<void> {
    const delivered = this.outbox.deliverLeftovers().catch((error: unknown) => {
      this.log.warn(`results that were left on disk are not delivered: ${String(error)}`);
    });
    await within(delivered, LEFTOVERS_TIMEOUT_MS, this.clock);
    if (this.stopping) return;
    await Promise.all([within(this.testbeds.open(), DETECTION_TIMEOUT_MS, this.clock), this.probe.start()]);
    if (this.stopping) return;
    for (const slot of this.slots) slot.start();
    this.log.log(this.sandboxes.limits);
    this.log.log(
      `${this.name} asks for work: ${this.slots.length} slots for ${this.architectures.join(', ')}`,
    );
  }
}
