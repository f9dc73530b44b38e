import { removedBy } from '@proctor/contracts';
import type {
  Expiry,
  ExpiringContent,
  ExpiringRun,
  ExpiryPlace,
  FileRemoval,
  OldRun,
  SizedRuns,
} from '@proctor/database';
import type { MaintainedStore } from '@proctor/store';
import { ExpiryCounts } from './expiry-counts';
import { bytesMaxOf, daysBefore, dueBefore, lossByAge, lossBySize, type RetentionRules } from './rules';

/** Settings of a pass. */
interface PassOptions {
  /** Nothing is removed, only counted. */
  isRehearsal: boolean;
  /** Waits between two batches, after work of this duration on this many runs: others use the database too. */
  pause: (workedMs: number, runs: number) => Promise<void>;
  /** Ends the pass early; what is done stays done. */
  isEnded: () => boolean;
  now: () => Date;
}

/** Rows that one statement reads or changes: few, since others wait for a processor and for the log meanwhile. */
const BATCH_RUNS = 200;
/** S3 deletes this many objects with one request. */
const BATCH_FILES = 1_000;
/** Packages whose sizes one statement sums. */
const BATCH_PACKAGES = 20;

const BEGINNING: ExpiryPlace = { at: new Date(0), runId: 0 };

/**
 * Removes what is older or larger than the rules allow. First the files are removed from the rows, and their names are put into a table;
 * then the files in that table are deleted from the store. If a pass breaks off between, the next one continues.
 */
export class ExpiryPass {
  readonly counts = new ExpiryCounts();
  private workingSince = performance.now();

  constructor(
    private readonly expiry: Expiry,
    private readonly store: MaintainedStore,
    private readonly rules: RetentionRules,
    private readonly options: PassOptions,
  ) {}

  /** @throws DatabaseUnavailable; StoreUnavailable: what is done stays done. */
  async run(): Promise<void> {
    this.workingSince = performance.now();
    await this.emptyStore();
    await this.byAge('artifacts');
    await this.byAge('logs');
    await this.bySize();
    await this.stories('public stories');
    await this.stories('private stories');
    const { runDays } = this.rules;
    if (runDays === undefined) return;
    await this.runs('public', runDays);
    await this.runs('private', runDays);
  }

  private async byAge(content: ExpiringContent): Promise<void> {
    const now = this.options.now();
    const before = dueBefore(content, this.rules, now);
    for (let after: ExpiryPlace | null = BEGINNING; after && !this.options.isEnded();) {
      const runs: ExpiringRun[] = await this.expiry.listAged(content, before, after, BATCH_RUNS);
      const losses = runs.flatMap((run) => {
        const loss = lossByAge(run, this.rules, now);
        return loss.logRule === null && loss.artifactsRule === null ? [] : [{ run, ...loss }];
      });
      await this.lose(losses);
      await this.rest(runs.length);
      after = placeAfter(runs);
    }
  }

  private async bySize(): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined && !this.options.isEnded();) {
      const packages = await this.expiry.packageBytes(after, BATCH_PACKAGES);
      for (const { package: name, bytes } of packages) {
        const max = bytesMaxOf(name, this.rules);
        if (bytes > max) await this.shrinkPackage(name, max);
      }
      after = packages.at(-1)?.package;
      await this.rest(0);
    }
  }

  /** Private runs are limited separately: otherwise the losses of public runs would reveal them. */
  private async shrinkPackage(name: string, max: number): Promise<void> {
    for (const { privateKeyId, bytes } of await this.expiry.bytesByKey(name)) {
      const sized = { package: name, privateKeyId };
      const rest = await this.shrink(sized, 'artifacts', bytes - this.counts.rehearsedOf(sized) - max, max);
      await this.shrink(sized, 'logs', rest, max);
    }
  }

  /** Removes the oldest files of one kind until the runs are within their limit. @returns the excess that is left, in bytes */
  private async shrink(
    sized: SizedRuns,
    content: ExpiringContent,
    excess: number,
    max: number,
  ): Promise<number> {
    let rest = excess;
    const rule = removedBy('files of a package', max);
    for (let after: ExpiryPlace | null = BEGINNING; rest > 0 && after && !this.options.isEnded();) {
      const batch: ExpiringRun[] = await this.expiry.ofPackage(content, sized, after, BATCH_RUNS);
      const runs = batch.filter(({ runId }) => !this.counts.isRehearsed(content, runId));
      const loss = lossBySize(runs, content, rest);
      const rules = {
        logRule: content === 'logs' ? rule : null,
        artifactsRule: content === 'artifacts' ? rule : null,
      };
      await this.lose(loss.runs.map((run) => ({ run, ...rules })));
      rest -= loss.bytes;
      await this.rest(batch.length);
      after = placeAfter(batch);
    }
    return rest;
  }

  private async lose(losses: ({ run: ExpiringRun } & Omit<FileRemoval, 'runId'>)[]): Promise<void> {
    if (losses.length === 0) return;
    const storyBefore = daysBefore(this.options.now(), this.rules.storyDays);
    if (this.options.isRehearsal) {
      for (const { run, logRule, artifactsRule } of losses) {
        const isBare = this.counts.rehearseLoss(run, logRule, artifactsRule);
        if (isBare && run.finishedAt < storyBefore) this.counts.story(1);
      }
      return;
    }
    const months = new Set(
      await this.expiry.removeFiles(
        losses.map(({ run, logRule, artifactsRule }) => ({ runId: run.runId, logRule, artifactsRule })),
      ),
    );
    const changes = losses.filter(({ run }) => months.has(run.runId));
    for (const { run, logRule, artifactsRule } of changes)
      this.counts.recordLoss(run, logRule, artifactsRule);
    // When its files are lost, a run also loses the history that it kept earlier because it was too new or still had files.
    const old = changes.filter(({ run }) => run.finishedAt < storyBefore).map(({ run }) => run.runId);
    if (old.length > 0) await this.deleteRuns(old);
    await this.emptyStore();
  }

  private async stories(mark: 'public stories' | 'private stories'): Promise<void> {
    const before = daysBefore(this.options.now(), this.rules.storyDays);
    const { isRehearsal, isEnded } = this.options;
    let after: ExpiryPlace | null = (await this.expiry.marks()).get(mark) ?? BEGINNING;
    while (after && !isEnded()) {
      const runs = await this.expiry.stories(mark, before, after, BATCH_RUNS);
      const due = runs.filter(({ hasFiles, hasStory }) => hasStory && !hasFiles);
      if (isRehearsal) this.counts.story(due.length);
      else if (due.length > 0) await this.deleteRuns(due.map(({ runId }) => runId));
      const last = placeAfter(runs);
      if (last && !isRehearsal) await this.expiry.saveMark(mark, last);
      if (last) await this.rest(runs.length);
      after = last;
    }
    if (!isRehearsal) await this.emptyStore();
  }

  /** Removes the rows of runs that have nothing else. */
  private async runs(kind: 'public' | 'private', days: number): Promise<void> {
    const before = daysBefore(this.options.now(), days);
    const { isRehearsal, isEnded } = this.options;
    for (let after: ExpiryPlace | null = BEGINNING; after && !isEnded();) {
      const runs: OldRun[] = await this.expiry.oldRuns(kind, before, after, BATCH_RUNS);
      const due = runs.filter((run) => !run.isNeeded && this.isBare(run)).map(({ runId }) => runId);
      if (isRehearsal) this.counts.run(due.length);
      else if (due.length > 0) this.counts.run(await this.expiry.removeRuns(due, removedBy('runs', days)));
      await this.rest(runs.length);
      after = placeAfter(runs);
    }
  }

  /** Whether a run has nothing but its row, also counting what a rehearsal would have removed. */
  private isBare({ runId, finishedAt, hasLog, hasArtifacts, hasStory }: OldRun): boolean {
    const storyBefore = daysBefore(this.options.now(), this.rules.storyDays);
    const isGone = (content: ExpiringContent, isThere: boolean): boolean =>
      !isThere || this.counts.isRehearsed(content, runId);
    const isStoryGone = !hasStory || (this.options.isRehearsal && finishedAt < storyBefore);
    return isGone('logs', hasLog) && isGone('artifacts', hasArtifacts) && isStoryGone;
  }

  private async rest(runs: number): Promise<void> {
    await this.options.pause(performance.now() - this.workingSince, runs);
    this.workingSince = performance.now();
  }

  private async deleteRuns(runIds: number[]): Promise<void> {
    const rule = removedBy('facts and attempts', this.rules.storyDays);
    this.counts.story(await this.expiry.removeStories(runIds, rule));
  }

  /** Deletes the waiting files from the store; if this breaks off, they are deleted again later. */
  private async emptyStore(): Promise<void> {
    if (this.options.isRehearsal) return;
    for (;;) {
      const files = await this.expiry.waitingFiles(BATCH_FILES);
      if (files.length > 0) {
        await this.store.removeFiles(files);
        await this.expiry.deleteExpiredFiles(files);
      }
      if (files.length < BATCH_FILES) return;
    }
  }
}

/** Where the next batch starts; null after a batch that was not full. */
function placeAfter(runs: { finishedAt: Date; runId: number }[]): ExpiryPlace | null {
  const last = runs.length < BATCH_RUNS ? undefined : runs.at(-1);
  return last ? { at: last.finishedAt, runId: last.runId } : null;
}
