import type { ResultFileName } from '@proctor/contracts';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { isOneOf } from './decorators';

/** A file that no row names now, and that is to be removed from the store. */
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
 * `begin`: when rows and files may be removed at the earliest. `pass` and `sweep`: when all rows, and all files of the store, were looked
 * at last. The others: up to which finished run the stories were looked at.
 */
export const EXPIRY_MARKS = ['begin', 'pass', 'sweep', 'public stories', 'private stories'] as const;
export type ExpiryMark = (typeof EXPIRY_MARKS)[number];

/** How far the removal of what is old has come. */
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

  /** Who may know of it, when it was private; null of a public one. */
  @Column('integer', { nullable: true })
  requestorId: number | null;

  @Column('integer', { nullable: true })
  apiKeyId: number | null;
}

/** A backup that is complete. */
@Entity('backups')
export class BackupRow {
  /** The moment that it holds. */
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

  /** Whatever was written after it is gone. */
  @Column('timestamp with time zone', { precision: 3 })
  takenAt: Date;

  /** Runs from this one on may have been asked for after that moment. */
  @Column('bigint')
  firstLostRun: number;

  /** Runs that are asked for now have this id or a higher one: what lies between is never given again. */
  @Column('bigint')
  nextRun: number;

  /** Runs whose rows name files that the backup did not have. */
  @Column('integer')
  filesMissing: number;
}

export const IMPORTED_KINDS = ['user', 'key', 'run'] as const;
export type ImportedKind = (typeof IMPORTED_KINDS)[number];

/** What something that was imported from another service is called here. */
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
