import type { Expiry, ExpiredFile, FoundAttempt } from '@proctor/database';
import type { Grant, ResultFileName } from '@proctor/contracts';
import type { MaintainedStore, StoredNames } from '@proctor/store';
import { daysBefore } from './rules';

/** A younger file may belong to a report that is still on its way. */
const SWEPT_AFTER_DAYS = 2;
const BATCH_ATTEMPTS = 500;
const LOG_FILES: ResultFileName[] = ['log.gz', 'log-index.json'];

/** The stores and rules to find and remove files that no row has. */
interface OrphanSweep {
  expiry: Pick<Expiry, 'withoutRows' | 'forgottenRuns'>;
  store: Pick<MaintainedStore, 'list' | 'removeFiles'>;
  /** The attempts whose report may still come. */
  awaited: (attempts: Grant[]) => Promise<Grant[]>;
  now: Date;
  /** Waits between two batches, after work of this duration. */
  pause: (workedMs: number) => Promise<void>;
  isEnded: () => boolean;
}

/** The result of a sweep. */
interface SweptOrphans {
  /** Files. */
  removed: number;
  /** Attempts of runs that the database does not know yet, or no longer knows. */
  unknownRuns: number;
}

/**
 * Removes the files of a store that no row has: files of reports that were not recorded, and files that waited for removal before the
 * database was restored. Files of runs that are newer than all runs of the database, or that were lost when it was restored, stay: they are all that is
 * left of these runs, or belong to another database.
 * @throws StoreUnavailable
 */
export async function sweepOrphans(sweep: OrphanSweep): Promise<SweptOrphans> {
  const swept: SweptOrphans = { removed: 0, unknownRuns: 0 };
  const isForgotten = await sweep.expiry.forgottenRuns();
  let batch: StoredNames[] = [];
  const before = daysBefore(sweep.now, SWEPT_AFTER_DAYS);
  let workingSince = performance.now();
  for await (const names of sweep.store.list()) {
    if (sweep.isEnded()) return swept;
    if (isForgotten(names.runId)) swept.unknownRuns += 1;
    if (isForgotten(names.runId) || names.modified >= before) continue;
    batch.push(names);
    if (batch.length < BATCH_ATTEMPTS) continue;
    swept.removed += await removeOrphans(sweep, batch);
    batch = [];
    await sweep.pause(performance.now() - workingSince);
    workingSince = performance.now();
  }
  swept.removed += await removeOrphans(sweep, batch);
  return swept;
}

async function removeOrphans({ expiry, store, awaited }: OrphanSweep, batch: StoredNames[]): Promise<number> {
  if (batch.length === 0) return 0;
  const orphans = await expiry.withoutRows(batch.map(contentsOf));
  if (orphans.length === 0) return 0;
  const expected = new Set(
    (await awaited(orphans.map(({ runId, attempt }) => ({ runId, attempt })))).map(keyOf),
  );
  const names = new Map(batch.map((each) => [keyOf(each), each.names]));
  const files = orphans
    .filter((each) => !expected.has(keyOf(each)))
    .flatMap(({ runId, attempt, hasLog, hasArtifacts }): ExpiredFile[] =>
      names
        .get(keyOf({ runId, attempt }))!
        .filter((name) => (LOG_FILES.includes(name) ? hasLog : hasArtifacts))
        .map((name) => ({ runId, attempt, name })),
    );
  if (files.length > 0) await store.removeFiles(files);
  return files.length;
}

function contentsOf({ runId, attempt, names }: StoredNames): FoundAttempt {
  const isLog = (name: ResultFileName): boolean => LOG_FILES.includes(name);
  return { runId, attempt, hasLog: names.some(isLog), hasArtifacts: !names.every(isLog) };
}

function keyOf({ runId, attempt }: { runId: number; attempt: number }): string {
  return `${runId}/${attempt}`;
}
