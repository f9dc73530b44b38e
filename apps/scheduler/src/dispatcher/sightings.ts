import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import { WorkerRegister, type SeenWorker, type WorkerRefusals } from '@proctor/database';
import type { DispatcherMessage, Step } from '@proctor/dispatch';
import { CLOCK } from '../configuration.token';

/** A message of a worker that was handled. */
export interface Sighting {
  worker: string;
  /** Why it was refused, for people; null: it was accepted. */
  refusal: string | null;
}

/** The interval between two writes. */
const EVERY_MS = 60_000;
/** How many names are remembered between two writes; further names are dropped. */
const NAMES_MAX = 10_000;
/** How many refused workers one line of the log names. */
const NAMED_MAX = 10;

/**
 * When workers were last seen, and which of their messages were refused: collected from all dispatchers of this process
 * and written into the register once a minute.
 */
@Injectable()
export class Sightings implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Workers');
  /** Worker → the address of its latest request. */
  private addresses = new Map<string, string>();
  private workers = new Set<string>();
  private refusals = new Map<string, WorkerRefusals>();
  private writtenMs = -Infinity;
  private cancel: (() => void) | null = null;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    @Inject(WorkerRegister) private readonly register: Pick<WorkerRegister, 'recordSeen'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  record(sightings: Sighting[]): void {
    for (const { worker, refusal } of sightings) {
      if (refusal !== null) this.addRefusals({ worker, count: 1, reason: refusal });
      else if (this.workers.size < NAMES_MAX) this.workers.add(worker);
    }
    if (sightings.length > 0) this.writeLater();
  }

  /** The address of a worker's request. It is written once the dispatcher has accepted a message of the worker. */
  recordAddress(worker: string, address: string): void {
    if (this.addresses.size < NAMES_MAX || this.addresses.has(worker)) this.addresses.set(worker, address);
  }

  /** Writes the remaining sightings. */
  async beforeApplicationShutdown(): Promise<void> {
    this.cancel?.();
    await this.writing;
    await this.write();
    this.cancel?.();
  }

  private addRefusals({ worker, count, reason }: WorkerRefusals): void {
    const before = this.refusals.get(worker);
    if (!before && this.refusals.size >= NAMES_MAX) return;
    this.refusals.set(worker, { worker, count: (before?.count ?? 0) + count, reason });
  }

  private writeLater(): void {
    if (this.cancel) return;
    const pauseMs = Math.max(0, this.writtenMs + EVERY_MS - this.clock.now());
    this.cancel = this.clock.after(pauseMs, () => {
      this.writing = this.write();
    });
  }

  /** Writes the sightings. If that fails, they are added to the next write. */
  private async write(): Promise<void> {
    const [seenWorkers, refusals] = [this.clearSeen(), [...this.refusals.values()]];
    this.cancel = null;
    this.writtenMs = this.clock.now();
    this.refusals = new Map();
    if (seenWorkers.length + refusals.length === 0) return;
    this.logRefusals(refusals);
    try {
      await this.register.recordSeen(seenWorkers, refusals);
    } catch (error) {
      this.logger.warn(`when workers were seen could not be written: ${String(error)}`);
      for (const { worker, from } of seenWorkers) {
        this.workers.add(worker);
        if (from !== null && !this.addresses.has(worker)) this.addresses.set(worker, from);
      }
      for (const each of refusals) this.addRefusals(each);
      this.writeLater();
    }
  }

  private clearSeen(): SeenWorker[] {
    const seenWorkers = [...this.workers].map((worker) => ({
      worker,
      from: this.addresses.get(worker) ?? null,
    }));
    this.workers = new Set();
    this.addresses = new Map();
    return seenWorkers;
  }

  private logRefusals(refusals: WorkerRefusals[]): void {
    for (const { count, reason } of refusals.slice(0, NAMED_MAX))
      this.logger.warn(`${count} ${count === 1 ? 'message was' : 'messages were'} refused: ${reason}`);
    if (refusals.length > NAMED_MAX)
      this.logger.warn(`so were messages of ${refusals.length - NAMED_MAX} more workers`);
  }
}

/** The sender of a message, if it is a worker. */
export function sightingOf(message: DispatcherMessage, { refusal }: Step): Sighting[] {
  const sender = 'request' in message ? message.request : 'report' in message ? message.report : undefined;
  return sender && 'worker' in sender ? [{ worker: sender.worker, refusal: refusal ?? null }] : [];
}
