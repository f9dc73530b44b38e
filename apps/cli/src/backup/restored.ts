import { connections } from '@proctor/config';
import { EarlierMoment, openDatabase, type RestoreRecord } from '@proctor/database';
import { Home, HomeLock } from '@proctor/embedded';
import { type MaintainedStore, openStore, type StoredNames } from '@proctor/store';
import { ownConfiguration } from '../configuration';
import { Failure } from '../failure';
import { printNotice } from '../output/print';
import { projectFolder } from '../project';
import { withServiceDatabase } from './own-database';

const BATCH_ATTEMPTS = 1_000;
const PRINT_EVERY = 100_000;

/**
 * Repairs a database that PostgreSQL itself has brought back to an earlier moment, with the last steps of `restore`.
 */
export async function repairRestoredDatabase({ at }: { at?: number }): Promise<object> {
  const home = await Home.findHome(process.env, projectFolder());
  if (await HomeLock.holder(home.lock))
    throw new Failure(
      `Proctor runs on ${home.path}`,
      undefined,
      'stop it first: this command changes ids and ownerships',
    );
  const configuration = await ownConfiguration();
  return withServiceDatabase(home, async (url) => {
    const moment = await EarlierMoment.open(url);
    const store = await openStore(configuration.store, () => connections().storeCredentials);
    try {
      const takenAt = at === undefined ? await moment.newest() : new Date(at * 1_000);
      if (takenAt === null)
        throw new Failure(
          'the database records nothing that happened, so its moment is not known',
          undefined,
          'give the moment: --at 2026-11-20T12:00:00Z',
        );
      const files = await compare(moment, store);
      const { firstLostRun, nextRun } = await moment.prepareDatabase(files.highestRun, printNotice);
      const record = { takenAt, firstLostRun, nextRun, filesMissing: files.missing };
      await keep(url, record);
      printNotice(
        `the database holds what was written up to ${takenAt.toISOString()}; what came later is missing`,
      );
      printNotice(
        `runs ${firstLostRun} to ${nextRun - 1} may have been requested since; none of these ids is used again`,
      );
      if (files.unknown > 0)
        printNotice(
          `the store keeps files of ${files.unknown} attempts of such runs: the highest is ${files.highestRun}`,
        );
      printNotice(
        files.missing === 0
          ? 'no file that the database names is missing'
          : `files of ${files.missing} runs are missing`,
      );
      const lostRuns = { first_lost_run: firstLostRun, next_run: nextRun };
      return { taken_at: takenAt.toISOString(), ...lostRuns, files_missing: files.missing };
    } finally {
      store.close();
      await moment.end();
    }
  });
}

interface Compared {
  /** The highest id of a run that has files; 0 if no run has files. */
  highestRun: number;
  /** Number of attempts in the store whose run id is higher than any in the database. */
  unknown: number;
  /** Number of runs whose rows name files that do not exist. */
  missing: number;
}

async function compare(moment: EarlierMoment, store: MaintainedStore): Promise<Compared> {
  const [last, withFiles] = [await moment.lastRun(), await moment.runsWithFiles()];
  const compared: Compared = { highestRun: 0, unknown: 0, missing: withFiles };
  let batch: StoredNames[] = [];
  let count = 0;
  const subtract = async (): Promise<void> => {
    if (batch.length > 0) compared.missing -= await moment.wholeAmong(batch.map(contentOf));
    batch = [];
  };
  for await (const names of store.list()) {
    count += 1;
    if (count % PRINT_EVERY === 0) printNotice(`${count} attempts of the store`);
    compared.highestRun = Math.max(compared.highestRun, names.runId);
    if (names.runId > last) compared.unknown += 1;
    else batch.push(names);
    if (batch.length === BATCH_ATTEMPTS) await subtract();
  }
  await subtract();
  return compared;
}

function contentOf({ runId, attempt, names }: StoredNames) {
  return {
    runId,
    attempt,
    hasLog: names.includes('log.gz'),
    hasArtifacts: names.includes('artifacts.tar.gz'),
  };
}

async function keep(url: string, record: Omit<RestoreRecord, 'restoredAt'>): Promise<void> {
  const database = await openDatabase(url);
  try {
    await database.backups.recordRestore(record);
  } finally {
    await database.close();
  }
}
