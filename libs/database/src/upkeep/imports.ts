import { Injectable } from '@nestjs/common';
import { type Actor, audit } from '../people/audit-log';
import { Database, type Statements } from '../kit/database';
import * as statements from './import-statements';
import { IMPORT_COLUMNS, type ImportedRun } from './import-statements';
import { rememberPackages } from '../runs/packages';
import type { ImportedKind } from '../rows/upkeep';
import { valuesOf } from '../kit/statement';
import { userSubject } from '../people/users';

/** A user of another service. */
interface ImportedUser {
  foreignId: string;
  name: string;
  isAdmin: boolean;
  createdAt: Date;
  /** The user's identity at a login provider. */
  identity: { issuer: string; subject: string } | null;
}

/** A key of another service. Only its digest is known. */
interface ImportedKey {
  foreignId: string;
  userId: number;
  name: string;
  /** The SHA-1 of the key; null: the key is never valid, and exists only to own results. */
  sha1: string | null;
  createdAt: Date;
}

/** What identifies a run that was imported before. */
type RunIdentity = Pick<ImportedRun, 'runId' | 'package' | 'suite' | 'arch' | 'createdAt'>;

/** An id or a name belongs to something else in this service. Nothing of its batch was written. */
export class ImportConflict extends Error {}

/** Another process imports at this moment. */
export class ImportUnderWay extends Error {
  override readonly name = 'ImportUnderWay';

  constructor() {
    super('another import goes on at this moment');
  }
}

const IMPORT_LOCK = { key: 5_787_318_446_020_175, applicationName: 'proctor import', waitMs: 0 };

/**
 * Imports the data of another service: see docs/moving-in.md. Each call is a transaction, and repeating it
 * changes nothing.
 */
@Injectable()
export class Imports {
  constructor(private readonly database: Database) {}

  /**
   * Runs `work` unless another process imports: two would give each run of a service two ids.
   * @throws ImportUnderWay if another process imports
   */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.database.alone({ ...IMPORT_LOCK, waitedTooLong: () => new ImportUnderWay() }, work);
  }

  /** Makes sure that later requests get ids above `upTo`. */
  async reserveIds(upTo: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(statements.LOCK_IDS);
      await transaction.query(statements.RESERVE_IDS, [upTo]);
    });
  }

  /** New ids for runs whose ids cannot be kept. */
  async nextIds(count: number): Promise<number[]> {
    return (await this.database.query(statements.NEXT_IDS, [count])).map(({ runId }) => runId);
  }

  /** The ids that these have here, as far as they were imported. */
  async localIds(source: string, kind: ImportedKind, foreignIds: string[]): Promise<Map<string, number>> {
    const rows = await this.database.query(statements.LOCAL_IDS, [source, kind, foreignIds]);
    return new Map(rows.map(({ foreignId, localId }) => [foreignId, localId]));
  }

  /**
   * @param isSame whether an existing user of that name is the same person
   * @returns the user's id
   * @throws ImportConflict
   */
  addUser(source: string, user: ImportedUser, isSame: boolean, by: Actor): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const { foreignId, name, isAdmin, createdAt, identity } = user;
      const [knownId] = await transaction.query(statements.LOCAL_IDS, [source, 'user', [foreignId]]);
      if (knownId) return knownId.localId;
      const [added] = await transaction.query(statements.ADD_USER, [name, isAdmin, createdAt]);
      if (!added && !isSame) throw new ImportConflict(`there is a user ${name} here already`);
      const { userId } = added ?? (await transaction.query(statements.USER_OF_NAME, [name]))[0]!;
      if (identity)
        await transaction.query(statements.ADD_IDENTITY, [identity.issuer, identity.subject, userId]);
      await transaction.query(statements.NOTE_IDS, [source, 'user', [foreignId], [userId]]);
      const detail = `imported from ${source}`;
      if (added) await audit(transaction, by, { action: 'user-added', subject: userSubject(name), detail });
      return userId;
    });
  }

  /** Adds a key. @returns its id */
  addKey(source: string, key: ImportedKey): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const { foreignId, userId, name, sha1, createdAt } = key;
      const [knownId] = await transaction.query(statements.LOCAL_IDS, [source, 'key', [foreignId]]);
      if (knownId) return knownId.localId;
      const parameters = [userId, name, `${source}-${foreignId}`, sha1, createdAt];
      const [added] = await transaction.query(statements.ADD_KEY, parameters);
      await transaction.query(statements.NOTE_IDS, [source, 'key', [foreignId], [added!.keyId]]);
      return added!.keyId;
    });
  }

  /** Saves the backends of packages, and whether they were removed from the archive. */
  async savePackages(packages: { name: string; backend: string | null; removed: boolean }[]): Promise<void> {
    const columns = [packages.map(({ name }) => name), packages.map(({ backend }) => backend)];
    await this.database.query(statements.KEEP_PACKAGES, [...columns, packages.map(({ removed }) => removed)]);
  }

  /**
   * @param foreign the id of each run at its service, where the ids here are new
   * @returns how many of them were new
   * @throws ImportConflict
   */
  addRuns(runs: ImportedRun[], foreign?: { source: string; ids: string[] }): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const identities = identitiesOf(runs);
      await rememberPackages(transaction, runs);
      const added = await transaction.query(statements.ADD_RUNS, valuesOf(IMPORT_COLUMNS, runs));
      if (added.length < runs.length) await refuseTaken(transaction, identities);
      if (foreign)
        await transaction.query(statements.NOTE_IDS, [foreign.source, 'run', foreign.ids, identities[0]]);
      return added.length;
    });
  }

  /** The ids of the runs that already exist. @throws ImportConflict if an id belongs to another run */
  async present(runs: RunIdentity[]): Promise<Set<number>> {
    const identities = identitiesOf(runs);
    await refuseTaken(this.database, identities);
    const [runIds] = identities;
    return new Set((await this.database.query(statements.PRESENT, [runIds])).map(({ runId }) => runId));
  }

  /** The ids of runs that existed and were removed by a rule: they must not be imported again. */
  async findRemoved(runIds: number[]): Promise<Set<number>> {
    return new Set((await this.database.query(statements.REMOVED, [runIds])).map(({ runId }) => runId));
  }

  /** The number of these runs that exist, by suite, architecture and verdict. */
  counts(runIds: number[]) {
    return this.database.query(statements.COUNTS, [runIds]);
  }

  /** The finished runs among these that have no files and never had any. */
  async withoutFiles(runIds: number[]): Promise<Set<number>> {
    return new Set((await this.database.query(statements.WITHOUT_FILES, [runIds])).map(({ runId }) => runId));
  }

  /** Records the sizes of files in the store; null: no such file. */
  async recordFiles(runId: number, logSize: number | null, artifactsSize: number | null): Promise<void> {
    await this.database.query(statements.NOTE_FILES, [runId, logSize, artifactsSize]);
  }

  /**
   * Makes schedulers compute again the statuses and the figures of days, which depend on all runs.
   * @param since the first day
   */
  async rebuildStatuses(architectures: string[], since: Date): Promise<void> {
    await this.database.query(statements.MAKE_AGAIN, [architectures, since.toISOString().slice(0, 10)]);
  }
}

/** The identities of runs as the parameters of a statement. */
function identitiesOf(runs: RunIdentity[]): unknown[][] {
  return [
    ...[runs.map(({ runId }) => runId), runs.map((run) => run.package), runs.map(({ suite }) => suite)],
    ...[runs.map(({ arch }) => arch), runs.map(({ createdAt }) => createdAt)],
  ];
}

async function refuseTaken(transaction: Statements, identities: unknown[]): Promise<void> {
  const [conflict] = await transaction.query(statements.TAKEN, identities);
  if (conflict) throw new ImportConflict(`run ${conflict.runId} is another run here: its id is not free`);
}
