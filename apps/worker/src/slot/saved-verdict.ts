import { waitAtMost } from '@proctor/clock';
import type { FinishedReport } from '@proctor/contracts';
import { resultOfFailedSave, withoutFiles } from './failed-attempt';
import type { AttemptResult, AttemptVerdict, Deliver } from './ports';
import type { SlotParts } from './slot-parts';

/** The attempt of the result, and its name for people. */
interface AttemptName {
  arch: string;
  title: string;
  fence: Pick<FinishedReport, 'worker' | 'incarnation' | 'slot' | 'runId' | 'attempt' | 'grantEpoch'>;
}

/** Saves the verdict of a test that has ended: first alone, then with log and artifacts. */
export class SavedVerdict {
  private verdict: AttemptVerdict | null = null;
  /** Delivers the last saved result; null: nothing is on disk. */
  private deliver: Deliver | null = null;
  private settle: (deliver: Deliver | null) => void = () => undefined;
  private readonly settled = new Promise<Deliver | null>((resolve) => (this.settle = resolve));

  constructor(
    private readonly name: AttemptName,
    private readonly parts: Pick<SlotParts, 'outbox' | 'clock' | 'log' | 'settings'>,
  ) {}

  /**
   * Resolves with a function that delivers the result, once it is completely on disk or cannot be; null: the wait was
   * given up.
   */
  get whole(): Promise<Deliver | null> {
    return this.settled;
  }

  /** Never rejects. */
  async saveVerdict(verdict: AttemptVerdict): Promise<void> {
    this.verdict = verdict;
    try {
      // It is delivered in this form when the worker is killed before the rest is saved.
      this.deliver = await this.write(withoutFiles(verdict, 'the worker ended before they were packed'));
    } catch (error) {
      this.warn(`the verdict was not kept yet: ${String(error)}`);
    }
  }

  /** The result when something failed after the verdict; null: there is no verdict. */
  resultWithout(why: string): AttemptResult | null {
    return this.verdict && withoutFiles(this.verdict, why);
  }

  /** Replaces the verdict that was saved before, if any; that one stays when this fails. Never rejects. */
  async complete(result: AttemptResult): Promise<void> {
    this.parts.log.log(`${this.name.title}: ${result.verdict} (${result.message})`);
    try {
      this.deliver = await this.write(result);
    } catch (error) {
      const why = String(error);
      this.warn(`the result could not be kept: ${why}`);
      this.deliver ??= () => this.reportUnsaved(why, result.durationSeconds);
    }
    this.settle(this.deliver);
  }

  /** Waits a limited time for the result to be saved. If it is not on disk then, it is lost, and the loss is logged. */
  async waitUntilSaved(reason: string): Promise<void> {
    const { clock, settings } = this.parts;
    const isKept = this.settled.then(() => true);
    if (await waitAtMost(isKept, settings.keepTimeoutMs, clock)) return;
    const consequence = this.deliver
      ? 'its verdict is on disk, its log and artifacts are lost'
      : 'its verdict is lost';
    this.warn(`${reason} before the result was kept: ${consequence}`);
    this.settle(null);
  }

  private write({ files, ...result }: AttemptResult): Promise<Deliver> {
    const names = files.map(({ name, size, sha256 }) => ({ name, size, sha256 }));
    const { arch, fence } = this.name;
    return this.parts.outbox.save(arch, { ...fence, ...result, files: names }, files);
  }

  /**
   * A result that is not on disk must not be reported as a result. The attempt has failed and counts, or the run would
   * be executed again and again.
   */
  private async reportUnsaved(why: string, durationSeconds: number): Promise<void> {
    const { arch, fence } = this.name;
    await this.parts.outbox.reportUnsaved(arch, { ...fence, ...resultOfFailedSave(why, durationSeconds) });
  }

  private warn(what: string): void {
    this.parts.log.warn(`${this.name.title}: ${what}`);
  }
}
