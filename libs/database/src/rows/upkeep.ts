import type { ResultFileName } from '@proctor/contracts';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { isOneOf } from './decorators';

/** A file to be removed from the store; no other row refers to it. */
@Entity('expired_files')
export class ExpiredFileRow {
  @PrimaryColumn('bigint')
  runId: number;

  @PrimaryColumn('integer')
  attempt: number;

  @PrimaryColumn('text')
  name: ResultFileName;
}

/**
 * `begin`: the earliest time for a removal of rows and files. `pass` and `sweep`: when all rows, and all files of the
 * store, were last checked. The others: the finished run up to which stories were checked.
 */
export const EXPIRY_MARKS = ['begin', 'pass', 'sweep', 'public stories', 'private stories'] as const;
export type ExpiryMark = (typeof EXPIRY_MARKS)[number];

/** The progress of the removal of old data. */
@Entity('expiry_progress')
@Check('expiry_progress_name_check', isOneOf('name', EXPIRY_MARKS))
export class ExpiryProgressRow {
  @PrimaryColumn('text')
  name: ExpiryMark;

  @Column('timestamp with time zone', { precision: 3 })
  at: Date;

  @Column('bigint', { default: 0 })
  runId: number;
}

/** A run whose row was removed. */
@Entity('removed_runs')
@Check('removed_runs_owner_check', '(requestor_id is null) = (api_key_id is null)')
export class RemovedRunRow {
  @PrimaryColumn('bigint')
  runId: number;

  /** See `removedBy`. */
  @Column('text')
  removedBy: string;

  /** The user who may know of a private run; null for a public run. */
  @Column('integer', { nullable: true })
  requestorId: number | null;

  @Column('integer', { nullable: true })
  apiKeyId: number | null;
}

/** A backup that is complete. */
@Entity('backups')
export class BackupRow {
  /** The moment that the backup contains. */
  @PrimaryColumn('timestamp with time zone', { precision: 3 })
  takenAt: Date;

  @Column('timestamp with time zone', { precision: 3 })
  endedAt: Date;

  @Column('bigint')
  bytes: number;
}

/** The database was restored to an earlier moment. */
@Entity('restores')
export class RestoreRow {
  @PrimaryColumn('timestamp with time zone', { precision: 3 })
  restoredAt: Date;

  /** The moment of the backup: later writes are lost. */
  @Column('timestamp with time zone', { precision: 3 })
  takenAt: Date;

  /** Ids from this one on may have been given to runs after that moment. */
  @Column('bigint')
  firstLostRun: number;

  /** New runs have this id or a higher one: the ids between are never given again. */
  @Column('bigint')
  nextRun: number;

  /** The number of runs whose rows name files that the backup did not have. */
  @Column('integer')
  filesMissing: number;
}

export const IMPORTED_KINDS = ['user', 'key', 'run'] as const;
export type ImportedKind = (typeof IMPORTED_KINDS)[number];

/** The local id of something that was imported from another service. */
@Entity('imported_ids')
@Check('imported_ids_kind_check', isOneOf('kind', IMPORTED_KINDS))
export class ImportedIdRow {
  /** `debci`, or another service. */
  @PrimaryColumn('text')
  source: string;

  @PrimaryColumn('text')
  kind: ImportedKind;

  @PrimaryColumn('text')
  foreignId: string;

  @Column('bigint')
  localId: number;
}
