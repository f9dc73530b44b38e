import { connections, type Configuration } from '@proctor/config';
import { ruleSentence, sizeText } from '@proctor/contracts';
import type { OpenDatabase } from '@proctor/database';
import { setTimeout as delay } from 'node:timers/promises';
import { ExpiryPass, type RemovedByRule, restMs, sweepOrphans } from '@proctor/retention';
import { openStore, type MaintainedStore, type StoredNames } from '@proctor/store';
import { ownConfiguration } from '../configuration';
import { withDatabase } from '../own-servers';
import { type AskOptions, confirm } from '../output/ask';
import { type OutputOptions, printAnswer, printTable, printNotice } from '../output/print';
import { Progress } from '../output/progress';

type ExpireOptions = AskOptions & OutputOptions & { dryRun: boolean; share: number };

/**
 * Removes what is older than the retention rules of the configuration, or only counts it. The grace period and
 * `enabled` have no effect here.
 */
export async function expire(options: ExpireOptions): Promise<void> {
  const configuration = await ownConfiguration();
  const store = await openStore(configuration.store, () => connections().storeCredentials);
  const pause: Pause = (workedMs) => delay(restMs(workedMs, options.share));
  try {
    await withDatabase(async (database) => {
      const due = await pass(database, store, configuration, { isRehearsal: true, pause });
      if (options.dryRun) return printCounts(due, options);
      if (!options.yes && !options.json) printCounts(due, options);
      if (bytesOf(due) + due.stories + due.runs > 0)
        await confirm(`${whatGoes(due)} are removed for good`, options);
      await database.expiry.alone(async () => {
        const counts = await pass(database, store, configuration, { isRehearsal: false, pause });
        printCounts(counts, options);
        printNotice(
          `${sizeText(bytesOf(counts))} of the store are free again; what rows had is taken by new ones`,
        );
        await sweep(database, store, pause);
      });
    });
  } finally {
    store.close();
  }
}

type Pause = (workedMs: number) => Promise<void>;

interface ExpiryCounts {
  removed: RemovedByRule[];
  stories: number;
  runs: number;
}

function whatGoes(due: ExpiryCounts): string {
  const files = `${sizeText(bytesOf(due))} of files`;
  return due.runs > 0 ? `${files} and ${due.runs} runs` : files;
}

function bytesOf({ removed }: ExpiryCounts): number {
  return removed.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function pass(
  { expiry }: OpenDatabase,
  store: MaintainedStore,
  { retention }: Configuration,
  how: { isRehearsal: boolean; pause: Pause },
): Promise<ExpiryCounts> {
  const now = await expiry.now();
  const progress = new Progress(how.isRehearsal ? 'runs looked at, nothing is removed' : 'runs looked at');
  const expiryPass = new ExpiryPass(expiry, store, retention, {
    isRehearsal: how.isRehearsal,
    pause: (workedMs, runs) => {
      progress.add(runs);
      return how.pause(workedMs);
    },
    isEnded: () => false,
    now: () => now,
  });
  await expiryPass.run();
  progress.end();
  const { removedByRule: removed, stories, runs } = expiryPass.counts;
  return { removed, stories, runs };
}

async function sweep(
  { expiry, awaitedReports }: OpenDatabase,
  store: MaintainedStore,
  pause: Pause,
): Promise<void> {
  const progress = new Progress('attempts in the store looked at');
  async function* listed(): AsyncGenerator<StoredNames> {
    for await (const names of store.list()) {
      progress.add(1);
      yield names;
    }
  }
  const { removed, unknownRuns } = await sweepOrphans({
    expiry,
    store: { list: listed, removeFiles: (files) => store.removeFiles(files) },
    awaited: (attempts) => awaitedReports.among(attempts),
    now: await expiry.now(),
    pause,
    isEnded: () => false,
  });
  progress.end();
  if (removed > 0) printNotice(`${removed} files that no run has were removed too`);
  if (unknownRuns > 0) {
    const why = 'it was restored to an earlier moment';
    printNotice(`kept: files of ${unknownRuns} attempts of runs that the database does not know (${why})`);
  }
}

function printCounts({ removed, stories, runs: whole }: ExpiryCounts, options: OutputOptions): void {
  const rows = removed.map(({ rule, runs, bytes }) => ({
    runs,
    size: sizeText(bytes),
    rule: ruleSentence(rule),
  }));
  if (stories > 0) rows.push({ runs: stories, size: '', rule: 'facts and attempts' });
  if (whole > 0) rows.push({ runs: whole, size: '', rule: 'the runs themselves' });
  printAnswer({ removed, stories, runs: whole }, options, () =>
    printTable(
      rows,
      [
        { head: 'runs', of: ({ runs }) => runs },
        { head: 'size', of: ({ size }) => size },
        { head: 'rule', of: ({ rule }) => rule },
      ],
      'nothing is older or larger than it may be',
    ),
  );
}
