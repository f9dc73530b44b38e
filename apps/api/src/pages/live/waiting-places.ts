import type { Clock } from '@proctor/clock';
import { LRUCache } from 'lru-cache';
import type {
  Explanation,
  ExplanationService,
  ExplanationViewer,
} from '../../dispatchers/explanation.service';
import { waitView } from '../runs/story-view';

/** How long a page may show a place in the queue that the run has left. */
const AGE_MS = 5_000;
/** Dispatchers are asked so often at most in that time, however many pages are open. */
const QUESTIONS_MAX = 200;
const PLACES_MAX = 4_000;

interface Known {
  words: string;
  atMs: number;
}

/**
 * What open pages show of how runs wait. An answer is remembered for a few seconds, and of an architecture whose dispatcher is silent
 * one run asks for all.
 */
export class WaitingPlaces {
  private readonly known = new LRUCache<string, Known>({ max: PLACES_MAX });
  private readonly silentUntilMs = new Map<string, number>();
  private asked = { sinceMs: -Infinity, count: 0 };

  constructor(
    private readonly explanation: Pick<ExplanationService, 'of'>,
    private readonly clock: Clock,
  ) {}

  /** The words of a run's page, which keep the old place while too many requests are made. */
  async words(run: { runId: number; arch: string }, viewer: ExplanationViewer): Promise<string> {
    const key = JSON.stringify([run.runId, viewer.user, viewer.everything]);
    const known = this.known.get(key);
    const now = this.clock.now();
    if (known && now - known.atMs < AGE_MS) return known.words;
    if (now < (this.silentUntilMs.get(run.arch) ?? 0) || !this.mayAsk(now)) return known?.words ?? '';
    const explanation = await this.explanation.of(run, viewer);
    if (isSilence(explanation)) this.silentUntilMs.set(run.arch, now + AGE_MS);
    const { sentence, reasons } = waitView(explanation, new Date(Date.now()));
    const words = [sentence, ...reasons].join(' ');
    this.known.set(key, { words, atMs: now });
    return words;
  }

  private mayAsk(now: number): boolean {
    if (now - this.asked.sinceMs >= AGE_MS) this.asked = { sinceMs: now, count: 0 };
    this.asked.count += 1;
    return this.asked.count <= QUESTIONS_MAX;
  }
}

function isSilence({ position, ahead, estimatedStart }: Explanation): boolean {
  return position === null && ahead === null && estimatedStart === null;
}
