import { setTimeout as pause } from 'node:timers/promises';
import { Turnstile } from './turnstile';

const AGAIN_MS = 300;
const REQUEST_TIMEOUT_MS = 30_000;

interface Result {
  run_id: number;
  status: string | null;
  message: string | null;
  attempt: number;
}

/** A client that follows its results as the release team does: each answer's `until` is the next `since`. */
export class Follower {
  /** run id → how it ended. */
  readonly ended = new Map<number, string>();
  /** Results that said something else than before. */
  readonly changed: string[] = [];
  /** Closed, it does not ask. */
  readonly turnstile = new Turnstile();
  private since = 0;
  private stopped = false;

  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  get finished(): number {
    return this.ended.size;
  }

  async follow(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.turnstile.pass(() => this.poll());
      } catch {
        // The api, or what is behind it, is away: ask again for the same.
        await pause(AGAIN_MS);
      }
    }
  }

  /** Removes what it has received, as after a restore of the database. */
  askFromTheBeginning(): void {
    this.ended.clear();
    this.since = 0;
  }

  stop(): void {
    this.stopped = true;
  }

  private async poll(): Promise<void> {
    const response = await fetch(`${this.url}/api/v1/test?since=${this.since}&wait=2`, {
      headers: { 'Auth-Key': this.key },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    const { until, results } = (await response.json()) as { until: number; results: Result[] };
    for (const result of results) this.note(result);
    this.since = until;
  }

  private note({ run_id, status, message, attempt }: Result): void {
    const end = `${status} in attempt ${attempt}: ${message}`;
    const before = this.ended.get(run_id);
    if (before !== undefined && before !== end) this.changed.push(`run ${run_id}: ${before}, then ${end}`);
    if (status !== null) this.ended.set(run_id, end);
  }
}
