import { setTimeout as pause } from 'node:timers/promises';
import { STUB_VARIANT } from '../plan';
import { fullDisk, noInodes } from './disk-faults';
import type { Fault, FaultParts } from './fault';
import { restoredDatabase } from './restored-database';
import { slowTurns, swallowed } from './link-faults';
import { doubled, frozen, killed, SCHEDULER_FROZEN_MS, WORKER_FROZEN_MS } from './process-faults';
import {
  frozenNats,
  frozenPostgres,
  fullStreams,
  killedNats,
  lostJetStream,
  restartedPostgres,
} from './server-faults';

/** Every kind of fault by its name on the command line, one for each part that it can break. */
const KINDS: Record<string, (parts: FaultParts) => Fault[]> = {
  'killed-executor': (parts) => parts.deployment.executors.map((app) => killed(parts, app, 2_000)),
  'frozen-executor': (parts) => parts.deployment.executors.map((app) => frozen(app, WORKER_FROZEN_MS)),
  'killed-worker': (parts) => [killed(parts, parts.deployment.worker, 2_000)],
  'frozen-worker': (parts) => [frozen(parts.deployment.worker, WORKER_FROZEN_MS)],
  'killed-scheduler': (parts) => parts.deployment.schedulers.map((app) => killed(parts, app, 4_000)),
  'frozen-scheduler': (parts) => parts.deployment.schedulers.map((app) => frozen(app, SCHEDULER_FROZEN_MS)),
  'killed-api': (parts) => [killed(parts, parts.deployment.api, 200)],
  'restarted-postgres': (parts) => [restartedPostgres(parts)],
  'frozen-postgres': (parts) => [frozenPostgres(parts)],
  'restored-database': (parts) => [restoredDatabase(parts)],
  'killed-nats': (parts) => [killedNats(parts)],
  'frozen-nats': (parts) => [frozenNats(parts)],
  'full-streams': (parts) => [fullStreams(parts)],
  'lost-jetstream': (parts) => [lostJetStream(parts)],
  'swallowed-postgres': (parts) =>
    [parts.deployment.api, ...parts.deployment.schedulers].map(({ name }) =>
      swallowed(parts, 'postgres', name),
    ),
  'swallowed-nats': (parts) => parts.deployment.apps.map(({ name }) => swallowed(parts, 'nats', name)),
  'slow-turns': (parts) => parts.deployment.schedulers.map(({ name }) => slowTurns(parts, name)),
  'full-disk': (parts) => [...parts.deployment.disks.keys()].map((part) => fullDisk(parts, part)),
  'no-inodes': (parts) => [...parts.deployment.disks.keys()].map((part) => noInodes(parts, part)),
  'two-workers': (parts) => parts.deployment.executors.map((app) => doubled(parts, app)),
};

export const FAULT_NAMES = Object.keys(KINDS);

/** Breaks one thing after the other, and often several at a time; each is whole again by itself. */
export class Faults {
  /** title → how often */
  readonly happened = new Map<string, number>();
  private readonly under = new Map<string, Promise<void>>();
  private readonly endedAtMs = new Map<string, number>();
  private readonly abort = new AbortController();
  private readonly begunAtMs = performance.now();
  private failure: Error | null = null;

  constructor(
    private readonly parts: FaultParts,
    private readonly names: string[],
    private readonly everyMs: number,
    private readonly report: (text: string) => void,
  ) {}

  /** Rejects when something that was broken could not be made whole. */
  async run(): Promise<void> {
    const { random } = this.parts;
    const kinds = this.kinds();
    // Each happens at least once, if there is time.
    const order = kinds
      .flat()
      .map((fault) => ({ fault, at: random.next() }))
      .sort((a, b) => a.at - b.at);
    for (let count = 0; await this.isTime(); count += 1) {
      const fault = order[count]?.fault ?? random.pick(random.pick(kinds));
      if (!this.under.has(fault.of)) this.begin(fault);
      if (this.failure !== null) throw this.failure;
    }
  }

  /** Resolves when everything is whole again. */
  async stop(): Promise<void> {
    this.abort.abort();
    await Promise.all(this.under.values());
    if (this.failure !== null) throw this.failure;
  }

  /** How long PostgreSQL, NATS and at least one scheduler have been whole, milliseconds; 0 while they are not. */
  ownableMs(): number {
    const { schedulers } = this.parts.deployment;
    const someScheduler = Math.max(...schedulers.map(({ name }) => this.wholeMs(name)));
    return Math.min(this.wholeMs('postgres'), this.wholeMs('nats'), someScheduler);
  }

  /**
   * How long a worker that can execute the variant has been whole, too, and the store: each slot keeps its result, and
   * accepts no other work, until the store has it.
   */
  grantableMs(variant: string): number {
    const { worker, executors } = this.parts.deployment;
    const able = variant === STUB_VARIANT ? [worker] : executors;
    const someWorker = Math.max(...able.map(({ name }) => this.wholeMs(name)));
    return Math.min(this.ownableMs(), this.wholeMs('store'), someWorker);
  }

  private wholeMs(of: string): number {
    return this.under.has(of) ? 0 : performance.now() - (this.endedAtMs.get(of) ?? this.begunAtMs);
  }

  /** The kinds of faults that can happen here. */
  private kinds(): Fault[][] {
    const kinds = this.names.map((name) => ({ name, faults: KINDS[name]!(this.parts) }));
    for (const { name, faults } of kinds)
      if (faults.length === 0)
        this.report(`${name} cannot happen here: it needs root, and mounts of its own`);
    return kinds.map(({ faults }) => faults).filter((faults) => faults.length > 0);
  }

  /** Waits for the next; false when there is none. */
  private async isTime(): Promise<boolean> {
    const { signal } = this.abort;
    const ms = this.everyMs * (0.5 + this.parts.random.next());
    await pause(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return !signal.aborted;
  }

  private begin(fault: Fault): void {
    const { title, of } = fault;
    this.report(title);
    this.happened.set(title, (this.happened.get(title) ?? 0) + 1);
    const over = fault
      .happen()
      .catch((error: unknown) => void (this.failure = new Error(`after "${title}"`, { cause: error })))
      .finally(() => {
        this.under.delete(of);
        this.endedAtMs.set(of, performance.now());
        this.report(`  over: ${title}`);
      });
    this.under.set(of, over);
  }
}
