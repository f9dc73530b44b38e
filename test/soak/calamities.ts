import { setTimeout as pause } from 'node:timers/promises';
import { connectBus } from '@proctor/bus';
import type { AppProcess } from '@proctor/embedded';
import type { Random } from '../simulation/world/random';
import { LEASE_TTL_MS, OWNERSHIP_TTL_MS, type Deployment } from './deployment';

/** Bytes that the stream of reports may hold while it is "at its limit": less than one report. */
const NO_ROOM_BYTES = 64;

interface Calamity {
  name: string;
  /** What it needs whole; two that need the same do not overlap. */
  of: string;
  happen(): Promise<void>;
}

/** Breaks one thing after the other, and often several at a time; each is whole again by itself. */
export class Calamities {
  /** name → how often */
  readonly happened = new Map<string, number>();
  private readonly under = new Map<string, Promise<void>>();
  private readonly abort = new AbortController();
  private failure: Error | null = null;

  constructor(
    private readonly deployment: Deployment,
    private readonly random: Random,
    private readonly everyMs: number,
    private readonly told: (text: string) => void,
  ) {}

  /** Rejects when something that was broken could not be made whole. */
  async rage(): Promise<void> {
    const all = this.all();
    // Each happens at least once, if there is time.
    const order = all.map((calamity) => ({ calamity, at: this.random.next() })).sort((a, b) => a.at - b.at);
    for (let count = 0; await this.isTime(); count += 1) {
      const calamity = order[count]?.calamity ?? this.random.pick(all);
      if (!this.under.has(calamity.of)) this.begin(calamity);
      if (this.failure !== null) throw this.failure;
    }
  }

  /** Resolves when everything is whole again. */
  async stop(): Promise<void> {
    this.abort.abort();
    await Promise.all(this.under.values());
    if (this.failure !== null) throw this.failure;
  }

  /** Waits for the next; false when there is none. */
  private async isTime(): Promise<boolean> {
    const { signal } = this.abort;
    const ms = this.everyMs * (0.5 + this.random.next());
    await pause(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return !signal.aborted;
  }

  private begin(calamity: Calamity): void {
    const { name, of } = calamity;
    this.told(name);
    this.happened.set(name, (this.happened.get(name) ?? 0) + 1);
    const over = calamity
      .happen()
      .catch((error: unknown) => void (this.failure = new Error(`after "${name}"`, { cause: error })))
      .finally(() => void this.under.delete(of));
    this.under.set(of, over);
  }

  private all(): Calamity[] {
    const { schedulers, workers, postgres, nats, apiProcess } = this.deployment;
    return [
      ...workers.map((worker) => this.killed(worker, 2_000)),
      ...workers.map((worker) => this.frozen(worker, 2 * LEASE_TTL_MS)),
      ...schedulers.map((scheduler) => this.killed(scheduler, 4_000)),
      ...schedulers.map((scheduler) => this.frozen(scheduler, 2 * OWNERSHIP_TTL_MS)),
      this.killed(apiProcess, 200),
      {
        name: 'PostgreSQL restarted',
        of: 'postgres',
        happen: async () => {
          await postgres.stop();
          await postgres.start();
        },
      },
      {
        name: 'nats-server killed',
        of: 'nats',
        happen: async () => {
          nats.kill('SIGKILL');
          await nats.ended;
          await pause(2_000 * this.random.next());
          await nats.start();
        },
      },
      { name: 'streams at their limit', of: 'nats', happen: () => this.fullStreams() },
    ];
  }

  private killed(app: AppProcess, awayMs: number): Calamity {
    const happen = async () => {
      app.kill('SIGKILL');
      await app.ended;
      await pause(awayMs * this.random.next());
      await this.restart(app);
    };
    return { name: `${app.name} killed`, of: app.name, happen };
  }

  private frozen(app: AppProcess, ms: number): Calamity {
    const happen = async () => {
      app.kill('SIGSTOP');
      await pause(ms);
      app.kill('SIGCONT');
    };
    return { name: `${app.name} frozen`, of: app.name, happen };
  }

  /** An app whose database or bus is away at this moment does not start: as under any supervisor, it is tried again. */
  private async restart(app: AppProcess): Promise<void> {
    for (let left = 10; ; left -= 1) {
      try {
        return await app.start();
      } catch (error) {
        if (left === 0) throw error;
        await pause(1_000);
      }
    }
  }

  private async fullStreams(): Promise<void> {
    const limited = await connectBus(this.deployment.nats.url, 'soak', { reportsBytesMax: NO_ROOM_BYTES });
    await pause(5_000);
    await limited.close();
    const normal = await connectBus(this.deployment.nats.url, 'soak');
    await normal.close();
  }
}
