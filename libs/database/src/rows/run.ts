import { RUN_STATES, TROUBLES, VERDICTS } from '@proctor/contracts';
import type {
  ErrorExcerpt,
  Pin,
  RunRequest,
  RunState,
  TestbedImage,
  TestResult,
  Trouble,
  Verdict,
} from '@proctor/contracts';
import {
  Check,
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { ApiKeyRow } from './api-key';
import { UserRow } from './user';
import { isOneOf } from './words';

/**
 * One requested test. No row of this table is ever saved whole: statements name the columns that they change. The
 * partial and the descending indexes are written out in the migration, TypeORM has no words for them.
 */
@Entity('runs')
@Check('runs_priority_check', 'priority between 1 and 10')
@Check('runs_state_check', isOneOf('state', RUN_STATES))
@Check('runs_verdict_check', isOneOf('verdict', VERDICTS))
@Check('runs_trouble_check', isOneOf('trouble', TROUBLES))
@Check('runs_attempt_check', 'attempt >= 0')
@Check('runs_leased_check', `state not in ('leased', 'running') or (attempt > 0 and worker is not null)`)
@Check('runs_taken_in_check', `taken_in or state in ('queued', 'finished')`)
@Check(
  'runs_finished_check',
  `case when state = 'finished'
    then verdict is not null and finished_at is not null and message is not null and version is not null
    else verdict is null and finished_at is null and message is null and version is null
  end`,
)
@Check('runs_cancelled_check', `not cancelled or state = 'finished'`)
@Index('runs_requestor', ['requestorId', 'runId'])
@Index('runs_lines', { synchronize: false })
@Index('runs_granted', { synchronize: false })
@Index('runs_unfinished_packages', { synchronize: false })
@Index('runs_arrived', { synchronize: false })
@Index('runs_results', ['apiKeyId', 'updatedAt', 'runId'])
@Index('runs_history', { synchronize: false })
@Index('runs_changes', { synchronize: false })
@Index('runs_recent', { synchronize: false })
@Index('runs_running', { synchronize: false })
@Index('runs_waiting', { synchronize: false })
@Index('runs_status', { synchronize: false })
@Index('runs_status_updates', { synchronize: false })
@Index('runs_passes', { synchronize: false })
@Index('runs_failures', { synchronize: false })
@Index('runs_mismatches', { synchronize: false })
@Index('runs_public_queues', { synchronize: false })
@Index('runs_private_queues', { synchronize: false })
@Index('runs_retries', { synchronize: false })
@Index('runs_private', { synchronize: false })
@Index('runs_finished_private', { synchronize: false })
@Index('runs_triggers', { synchronize: false })
@Index('runs_first_words', { synchronize: false })
@Index('runs_alike', { synchronize: false })
@Index('runs_newest_errors', { synchronize: false })
@Index('runs_artifacts', { synchronize: false })
@Index('runs_logs', { synchronize: false })
@Index('runs_package_files', { synchronize: false })
export class RunRow implements RunRequest {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  runId: number;

  @Column('text')
  package: string;

  @Column('text')
  suite: string;

  @Column('text')
  arch: string;

  @Column('text')
  backend: string;

  @Column('text')
  variant: string;

  @Column('smallint')
  priority: number;

  @Column('text', { nullable: true })
  trigger: string | null;

  @Column('jsonb')
  pinPackages: Pin[];

  /** Names of configured sources. */
  @Column('jsonb')
  extraAptSources: string[];

  @Column('boolean')
  isPrivate: boolean;

  @Column('integer')
  requestorId: number;

  /** Checked together with the key, whose user this is: a second check of each row would cost much of a long list. */
  @ManyToOne(() => UserRow, { nullable: false, createForeignKeyConstraints: false })
  @JoinColumn({ name: 'requestor_id' })
  requestor?: UserRow;

  /** Whose results these are. */
  @Column('integer')
  apiKeyId: number;

  @ManyToOne(() => ApiKeyRow, { nullable: false })
  @JoinColumn([
    {
      name: 'api_key_id',
      referencedColumnName: 'keyId',
      foreignKeyConstraintName: 'runs_api_key_id_requestor_id_fkey',
    },
    {
      name: 'requestor_id',
      referencedColumnName: 'userId',
      foreignKeyConstraintName: 'runs_api_key_id_requestor_id_fkey',
    },
  ])
  apiKey?: ApiKeyRow;

  @Column('bigint', { nullable: true })
  retryOf: number | null;

  @ManyToOne(() => RunRow)
  @JoinColumn({ name: 'retry_of', foreignKeyConstraintName: 'runs_retry_of_fkey' })
  original?: RunRow | null;

  /** Who retried it: the slot time is theirs. */
  @Column('integer', { nullable: true })
  retriedBy: number | null;

  @ManyToOne(() => UserRow)
  @JoinColumn({ name: 'retried_by', foreignKeyConstraintName: 'runs_retried_by_fkey' })
  retrier?: UserRow | null;

  @Column('text', { default: 'queued' })
  state: RunState;

  @Column('text', { nullable: true })
  verdict: Verdict | null;

  /** A user ended it: it says nothing about the package. */
  @Column('boolean', { default: false })
  cancelled: boolean;

  /** The latest granted; the run's fencing token. */
  @Column('integer', { default: 0 })
  attempt: number;

  /** It was granted, or a dispatcher of an earlier version has ingested it. */
  @Column('boolean', { default: false })
  takenIn: boolean;

  /** The number of the transaction that created it; null when that was before these were kept. See `ARRIVALS`. */
  @Column('bigint', { nullable: true, default: () => 'current_transaction()' })
  createdIn: number | null;

  @Column('text', { nullable: true })
  version: string | null;

  @Column('text', { nullable: true })
  message: string | null;

  /** Of a tmpfail, where its worker knew it. */
  @Column('text', { nullable: true })
  trouble: Trouble | null;

  @Column('smallint', { nullable: true })
  exitCode: number | null;

  /** Who holds the lease, or who finished the run; null while it waits. */
  @Column('text', { nullable: true })
  worker: string | null;

  @Column('integer', { nullable: true })
  durationSeconds: number | null;

  /** Bytes in the store; null when there is no such file. */
  @Column('bigint', { nullable: true })
  logSize: number | null;

  @Column('bigint', { nullable: true })
  artifactsSize: number | null;

  /** The rule by which its logs were removed, and those below by which its artifacts, its facts and attempts were: see `removedBy`. */
  @Column('text', { nullable: true })
  logRemovedBy: string | null;

  @Column('text', { nullable: true })
  artifactsRemovedBy: string | null;

  @Column('text', { nullable: true })
  storyRemovedBy: string | null;

  /** Of a finished run; empty when nothing is known of single tests. In no list of runs. */
  @Column('jsonb', { default: [] })
  tests: TestResult[];

  /** See errorSignature; null when nothing is known of an error. */
  @Column('text', { nullable: true })
  errorSignature: string | null;

  /** The lines of the log around its first error. In no list of runs. */
  @Column('jsonb', { nullable: true })
  errorExcerpt: ErrorExcerpt | null;

  /** That the testbed of its result was made of. */
  @Column('jsonb', { nullable: true })
  image: TestbedImage | null;

  @Column('timestamp with time zone', { precision: 3 })
  createdAt: Date;

  /** Moves when the run is created, finished or published, at no other time; see `horizon.ts` for how it is drawn. */
  @Column('timestamp with time zone', { precision: 3 })
  updatedAt: Date;

  /** Of the latest attempt. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  startedAt: Date | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  finishedAt: Date | null;
}

/**
 * The one row that holds how far readers of results were told that nothing new comes.
 *
 * Described for the test that compares the schema with the entities; statements read and write it.
 */
@Entity('horizons')
@Check('horizons_single_check', 'is_single')
export class HorizonRow {
  @PrimaryColumn('boolean', { default: true })
  isSingle: boolean;

  /** UNIX time: whatever is written from now on has an `updated_at` at or above it. */
  @Column('bigint')
  second: number;

  @Column('timestamp with time zone')
  raisedAt: Date;
}
