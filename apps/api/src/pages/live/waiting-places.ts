import type { Clock } from '@proctor/clock';
import { LRUCache } from 'lru-cache';
import type {
  Explanation,
  ExplanationService,
  ExplanationViewer,
} from '../../dispatchers/explanation.service';
import { waitView } from '../runs/story-view';

/** A page may show an old position in the queue for this time. */
const AGE_MS = 5_000;
/** The highest number of requests to dispatchers within AGE_MS, for all open pages together. */
const QUESTIONS_MAX = 200;
const PLACES_MAX = 4_000;

interface Known {
  words: string;
  atMs: number;
}

/**
 * The positions in the queue that open pages show. Each is cached for a few seconds. When a dispatcher does not answer, no
 * other run of its architecture is asked for during that time.
 */
export class WaitingPlaces {
  private readonly places = new LRUCache<string, Known>({ max: PLACES_MAX });
  private readonly silentUntilMs = new Map<string, number>();
  private requests = { sinceMs: -Infinity, count: 0 };

  constructor(
    private readonly explanation: Pick<ExplanationService, 'of'>,
    private readonly clock: Clock,
  ) {}

  /** The text for the page of a run. It stays the same while there are too many requests. */
  async words(run: { runId: number; arch: string }, viewer: ExplanationViewer): Promise<string> {
    const key = JSON.stringify([run.runId, viewer.user, viewer.everything]);
    const latest = this.places.get(key);
    const now = this.clock.now();
    if (latest && now - latest.atMs < AGE_MS) return latest.words;
    if (now < (this.silentUntilMs.get(run.arch) ?? 0) || !this.mayAsk(now)) return latest?.words ?? '';
    const explanation = await this.explanation.of(run, viewer);
    if (isSilence(explanation)) this.silentUntilMs.set(run.arch, now + AGE_MS);
    const { sentence, reasons } = waitView(explanation, new Date(Date.now()));
    const words = [sentence, ...reasons].join(' ');
    this.places.set(key, { words, atMs: now });
    return words;
  }

  private mayAsk(now: number): boolean {
    if (now - this.requests.sinceMs >= AGE_MS) this.requests = { sinceMs: now, count: 0 };
    this.requests.count += 1;
    return this.requests.count <= QUESTIONS_MAX;
  }
}

function isSilence({ position, ahead, estimatedStart }: Explanation): boolean {
  return position === null && ahead === null && estimatedStart === null;
}
