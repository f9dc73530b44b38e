import type { Clock } from '@proctor/clock';
import { LRUCache } from 'lru-cache';

/** What takes less is made for each round of requests; what takes more may be a little old. */
const CHEAP_MS = 250;
/** The part of the time that making one costly answer again and again may take. */
const BUSY_SHARE = 0.1;

export interface SharedAnswersLimits<T> {
  /** Greatest total size of all answers, in the unit of `sizeOf`; the least recently used are forgotten first. */
  sizeMax: number;
  /** 1 for each answer when absent. */
  sizeOf?: (answer: T) => number;
  /** Milliseconds; no answer that is given was begun longer ago, unless making one takes longer. Read at each use. */
  ageMaxMs: () => number;
}

/** Makes an answer; `previous` is the latest one that is remembered. */
type Make<T> = (previous: T | undefined) => Promise<T>;

interface Made<T> {
  answer: T;
  begunMs: number;
  endedMs: number;
}

/**
 * Answers that are the same for everybody, made by one request for all that wait for the same one. However many ask:
 * one answer is being made of each at a time, and a costly one takes a tenth of the time.
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
   * A cheap answer is begun after the call, so that a client that has changed something sees it; a costly one may be older.
   * A making that fails rejects for all that wait for it and is not kept.
   * @param make may resolve with the previous answer when nothing has changed since
   */
  find(key: string, make: Make<T>): Promise<T> {
    const recent = this.recent(key);
    if (recent) return Promise.resolve(recent);
    const making = this.making.get(key);
    return making ? this.after(making, key, make) : this.startMaking(key, make);
  }

  /** The answers that are remembered. */
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

  /** All who come while one is being made share the one that comes next. */
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
