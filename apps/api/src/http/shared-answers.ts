import type { Clock } from '@proctor/clock';
import { LRUCache } from 'lru-cache';

/** A faster answer is made again for each group of requests; a slower one may be a little old. */
const CHEAP_MS = 250;
/** The part of the time that may be spent on making one slow answer again. */
const BUSY_SHARE = 0.1;

interface SharedAnswersLimits<T> {
  /**
   * The maximum total size of all answers, in the unit of `sizeOf`; the least recently used ones are removed first.
   */
  sizeMax: number;
  /** By default 1 for each answer. */
  sizeOf?: (answer: T) => number;
  /** In milliseconds. The maximum age of an answer, unless making one takes longer. It is called at each use. */
  ageMaxMs: () => number;
}

/** Makes an answer; `previous` is the latest one in memory. */
type Make<T> = (previous: T | undefined) => Promise<T>;

interface Made<T> {
  answer: T;
  begunMs: number;
  endedMs: number;
}

/**
 * Answers that are the same for all readers. At any time only one answer of each kind is being made, for all requests
 * that wait for it, and a slow one is made for at most a tenth of the time.
 */
export class SharedAnswers<T extends object> {
  private readonly answers: LRUCache<string, Made<T>>;
  private readonly making = new Map<string, Promise<T>>();
  private readonly next = new Map<string, Promise<T>>();

  constructor(
    private readonly clock: Clock,
    private readonly limits: SharedAnswersLimits<T>,
  ) {
    const { sizeMax, sizeOf = () => 1 } = limits;
    this.answers = new LRUCache({
      maxSize: sizeMax,
      sizeCalculation: ({ answer }) => Math.max(1, sizeOf(answer)),
    });
  }

  /**
   * A fast answer is made after the call, so that a client sees its own changes; a slow one may be older. If making
   * one fails, all requests that wait for it fail, and nothing is stored.
   * @param make may resolve with the previous answer if nothing has changed
   */
  find(key: string, make: Make<T>): Promise<T> {
    const recent = this.recent(key);
    if (recent) return Promise.resolve(recent);
    const making = this.making.get(key);
    return making ? this.after(making, key, make) : this.startMaking(key, make);
  }

  /** The number of answers in memory. */
  get size(): number {
    return this.answers.size;
  }

  private recent(key: string): T | undefined {
    const latest = this.answers.get(key);
    if (!latest) return undefined;
    const now = this.clock.now();
    const tookMs = latest.endedMs - latest.begunMs;
    const restMs = tookMs < CHEAP_MS ? 0 : tookMs * (1 / BUSY_SHARE - 1);
    const isRecent = now - latest.endedMs < restMs && now - latest.begunMs < this.limits.ageMaxMs();
    return isRecent ? latest.answer : undefined;
  }

  /** All requests that arrive while an answer is made share the next one. */
  private after(making: Promise<T>, key: string, make: Make<T>): Promise<T> {
    const following = this.next.get(key);
    if (following) return following;
    const next = making
      .catch(() => undefined)
      .then(() => {
        this.next.delete(key);
        return this.find(key, make);
      });
    this.next.set(key, next);
    return next;
  }

  private startMaking(key: string, make: Make<T>): Promise<T> {
    const begunMs = this.clock.now();
    const making = make(this.answers.get(key)?.answer)
      .then((answer) => {
        this.answers.set(key, { answer, begunMs, endedMs: this.clock.now() });
        return answer;
      })
      .finally(() => this.making.delete(key));
    this.making.set(key, making);
    return making;
  }
}
