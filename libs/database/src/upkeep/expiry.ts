import { Injectable } from '@nestjs/common';
import { Database } from '../kit/database';
import * as statements from './expiry-statements';
import type { ExpiringRun, StoryRun } from './expiry-statements';
import { type OldRun, OLD_RUNS, REMOVE_RUNS } from './removed-runs';
import type { ExpiredFileRow, ExpiryMark } from '../rows/upkeep';

/** Kinds of files of a run in the store, each with its index. */
export type ExpiringContent = 'artifacts' | 'logs';

/** The finished run up to which a pass has come. */
export interface ExpiryPlace {
  at: Date;
  runId: number;
}

/** Runs of a package whose files share a limit: its public ones, or the private ones of a key. */
export interface SizedRuns {
  package: string;
  /** The key of private runs; null: the public runs. */
  privateKeyId: number | null;
}

/** A file in the store. */
export type ExpiredFile = ExpiredFileRow;

/** Files of a run to remove from the rows; null for a kind that stays. */
export interface FileRemoval {
  runId: number;
  /** See `removedBy`. */
  logRule: string | null;
  artifactsRule: string | null;
}

/** The files of an attempt that are in a store. */
export interface FoundAttempt {
  runId: number;
  attempt: number;
  hasLog: boolean;
  hasArtifacts: boolean;
}

/** Another process removes old files and runs at this moment. */
export class ExpiryUnderWay extends Error {
  override readonly name = 'ExpiryUnderWay';

  constructor() {
    super('another process removes what is old at this moment');
  }
}

const EXPIRY_LOCK = { key: 5_787_318_446_020_174, applicationName: 'proctor expiry', waitMs: 0 };

/** Rows about what may be removed, what is removed, and how far that has come. Others decide what may be removed. */
@Injectable()
export class Expiry {
  constructor(private readonly database: Database) {}

  /** Runs `work`. @throws ExpiryUnderWay if another process does it already */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.database.alone({ ...EXPIRY_LOCK, waitedTooLong: () => new ExpiryUnderWay() }, work);
  }

  /** Runs that finished before a time and have such files, oldest first. */
  listAged(
    content: ExpiringContent,
    before: Date,
    after: ExpiryPlace,
    limit: number,
  ): Promise<ExpiringRun[]> {
    return this.database.query(statements.AGED[content], [before, after.at, after.runId, limit]);
  }

  /** The runs of a package that have such files, oldest first. */
  ofPackage(
    content: ExpiringContent,
    { package: name, privateKeyId }: SizedRuns,
    after: ExpiryPlace,
    limit: number,
  ): Promise<ExpiringRun[]> {
    const parameters = [name, after.at, after.runId, limit, privateKeyId];
    return this.database.query(statements.OF_PACKAGE[content], parameters);
  }

  /** The size of the files of each package in bytes, by name. @param after the name of a package */
  packageBytes(after: string, limit: number): Promise<{ package: string; bytes: number }[]> {
    return this.database.query(statements.PACKAGE_BYTES, [after, limit]);
  }

  /** The size of the files of a package's public runs, and of the private runs of each key, in bytes. */
  bytesByKey(name: string): Promise<{ privateKeyId: number | null; bytes: number }[]> {
    return this.database.query(statements.BYTES_BY_KEY, [name]);
  }

  /**
   * Removes files from the rows: after the commit no row names them, and they wait to be removed from the store.
   * @returns the changed runs; runs that another transaction holds are skipped
   */
  async removeFiles(removals: FileRemoval[]): Promise<number[]> {
    const rows = await this.database.query(statements.REMOVE_FILES, [
      removals.map(({ runId }) => runId),
      removals.map(({ logRule }) => logRule),
      removals.map(({ artifactsRule }) => artifactsRule),
    ]);
    return rows.map(({ runId }) => runId);
  }

  /** Runs that finished before a time, the oldest first. */
  stories(
    mark: 'public stories' | 'private stories',
    before: Date,
    after: ExpiryPlace,
    limit: number,
  ): Promise<StoryRun[]> {
    return this.database.query(statements.STORIES[mark], [before, after.at, after.runId, limit]);
  }

  /** Deletes facts and attempts of the runs that have no files. @returns the number of runs */
  async removeStories(runIds: number[], rule: string): Promise<number> {
    const [row] = await this.database.query(statements.REMOVE_STORIES, [runIds, rule]);
    return row!.runs;
  }

  /** Runs that finished before a time, the oldest first. */
  oldRuns(kind: 'public' | 'private', before: Date, after: ExpiryPlace, limit: number): Promise<OldRun[]> {
    return this.database.query(OLD_RUNS[kind], [before, after.at, after.runId, limit]);
  }

  /** Deletes the rows of the runs that have neither files nor a story. @returns the number of runs */
  async removeRuns(runIds: number[], rule: string): Promise<number> {
    const [row] = await this.database.query(REMOVE_RUNS, [runIds, rule]);
    return row!.runs;
  }

  /** Files that wait to be removed from the store. */
  waitingFiles(limit: number): Promise<ExpiredFile[]> {
    return this.database.query(statements.EXPIRED_FILES, [limit]);
  }

  /** The files were removed from the store. */
  async deleteExpiredFiles(files: ExpiredFile[]): Promise<void> {
    await this.database.query(statements.FORGET_FILES, [
      files.map(({ runId }) => runId),
      files.map(({ attempt }) => attempt),
      files.map(({ name }) => name),
    ]);
  }

  /** The files among `attempts` that no row names. */
  async withoutRows(attempts: FoundAttempt[]): Promise<FoundAttempt[]> {
    const rows = await this.database.query(statements.WITHOUT_ROWS, [
      attempts.map(({ runId }) => runId),
      attempts.map(({ attempt }) => attempt),
      attempts.map(({ hasLog }) => hasLog),
      attempts.map(({ hasArtifacts }) => hasArtifacts),
    ]);
    return rows.map(({ nth, noLog, noArtifacts }) => ({
      ...attempts[nth - 1]!,
      hasLog: noLog,
      hasArtifacts: noArtifacts,
    }));
  }

  /**
   * @returns a function that says whether the database may have lost the run of an id, after it was restored
   * to an earlier moment
   */
  async forgottenRuns(): Promise<(runId: number) => boolean> {
    const [newest] = await this.database.query(statements.NEWEST_RUN);
    const gaps = await this.database.query(statements.LOST_RUNS);
    return (runId) =>
      runId > newest!.runId ||
      gaps.some(({ firstLostRun, nextRun }) => firstLostRun <= runId && runId < nextRun);
  }

  /** The time by the clock of the database, which also dated all runs: the clock of a machine may be wrong. */
  async now(): Promise<Date> {
    const [row] = await this.database.query(statements.NOW);
    return row!.at;
  }

  /** The earliest time at which files may be removed automatically. @param graceMs from the first call on */
  async firstRemovalAt(graceMs: number): Promise<Date> {
    const [row] = await this.database.query(statements.BEGIN, [graceMs]);
    return row!.at;
  }

  async marks(): Promise<Map<ExpiryMark, ExpiryPlace>> {
    const rows = await this.database.query(statements.MARKS);
    return new Map(rows.map(({ name, at, runId }) => [name, { at, runId }]));
  }

  async saveMark(name: ExpiryMark, { at, runId }: ExpiryPlace): Promise<void> {
    await this.database.query(statements.KEEP_MARK, [name, at, runId]);
  }
}
