import { Column, Entity, PrimaryColumn } from 'typeorm';

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

  /** Runs of which rows tell files that the backup did not have. */
  @Column('integer')
  filesMissing: number;
}
