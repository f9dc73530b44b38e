import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../simulation/world/random';
import { ARCHITECTURES, FAILS_ONCE, STUB_VARIANT, SUITES } from './plan';
import { Turnstile } from './turnstile';

const REQUEST_TIMEOUT_MS = 15_000;
const AGAIN_MS = 300;
const LIST_LENGTH = 50;
/** Sent now and then: long enough for the api to be killed in the middle of it. */
const LONG_LIST_LENGTH = 5_000;
/** A long list is at most what is asked for in so many seconds. */
const LONG_LIST_SECONDS = 30;

/** A client that asks for runs and repeats each request, under its idempotency key, until it has its answer. */
export class Submitter {
  readonly accepted = new Set<number>();
  /** Requests that had to be sent again. */
  repeated = 0;
  /** Closed, no new request begins. */
  readonly turnstile = new Turnstile();
  /** Runs that a restore of the database has forgotten. */
  forgotten = 0;
  private stopped = false;

  /**
   * @param stubMarks the file in which the stub marks its executions
   * @param stubShare of the runs, from 0 to 1
   */
  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly random: Random,
    private readonly stubMarks: string,
    private readonly stubShare: number,
  ) {}

  /**
   * Asks for `rate` runs a second, and for none while more than `waitingMax` have not finished.
   * @param countFinished how many runs are known to have finished
   */
  async submitAt(rate: number, waitingMax: number, countFinished: () => number): Promise<void> {
    const longList = longListOf(rate);
    await this.submit(longList);
    const startedAt = performance.now();
    let count = 0;
    let due = 0;
    while (!this.stopped) {
      due = Math.min(((performance.now() - startedAt) / 1000) * rate, due + rate);
      if (this.accepted.size - countFinished() < waitingMax && count < due) {
        const length = this.random.chance(0.002) ? longList : LIST_LENGTH;
        count += length;
        await this.turnstile.pass(() => this.submit(length));
      } else {
        await pause(20);
      }
    }
  }

  /** No request is begun after this; one that is under way is brought to its end. */
  stop(): void {
    this.stopped = true;
  }

  /** A restore of the database has forgotten these. */
  lost(runIds: number[]): void {
    for (const runId of runIds) this.accepted.delete(runId);
    this.forgotten += runIds.length;
  }

  private async submit(length: number): Promise<void> {
    const path = `/api/v1/test/${this.random.pick(SUITES)}/${this.random.pick(ARCHITECTURES)}`;
    const body = JSON.stringify({ tests: Array.from({ length }, () => this.item()) });
    const idempotencyKey = randomUUID();
    for (;;) {
      const runs = await this.post(path, body, idempotencyKey);
      if (runs === null) {
        this.repeated += 1;
        await pause(AGAIN_MS);
      } else if (runs.length === length) {
        for (const { run_id } of runs) this.accepted.add(run_id);
        return;
      } else {
        throw new Error(`${runs.length} of ${length} runs were accepted`);
      }
    }
  }

  private async post(path: string, body: string, key: string): Promise<{ run_id: number }[] | null> {
    try {
      const response = await fetch(`${this.url}${path}`, {
        method: 'POST',
        headers: { 'Auth-Key': this.key, 'Idempotency-Key': key, 'Content-Type': 'application/json' },
        body,
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      if (response.status === 201) return ((await response.json()) as { runs: { run_id: number }[] }).runs;
      const text = await response.text();
      // 409: the first request with this key is still at work.
      if (response.status >= 500 || response.status === 429 || response.status === 409) return null;
      throw new RequestRefused(`${response.status}: ${text}`);
    } catch (error) {
      if (error instanceof RequestRefused) throw error;
      return null;
    }
  }

  private item(): object {
    const priority = 1 + Math.floor(this.random.next() * 10);
    const name = `package${Math.floor(this.random.next() * 500)}`;
    if (this.random.chance(this.stubShare)) {
      return { package: name, priority, autopkgtest: STUB_VARIANT, trigger: `append:${this.stubMarks}` };
    }
    return { package: name, priority, ...(this.random.chance(0.02) && { trigger: FAILS_ONCE }) };
  }
}

export function longListOf(rate: number): number {
  return Math.min(LONG_LIST_LENGTH, Math.max(LIST_LENGTH, Math.round(rate * LONG_LIST_SECONDS)));
}

/** The api has judged: sending it again would not help. */
class RequestRefused extends Error {}
