import { RUN_STATES, TROUBLES, VERDICTS } from '@proctor/contracts';
import type {
  ErrorExcerpt,
  RunRequest,
  RunState,
  TestbedImage,
  TestResult,
  Trouble,
  Verdict,
} from '@proctor/contracts';
import type { Pin } from '@proctor/request-fields';
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
import { isOneOf, SqlIndex } from './decorators';

/** The SQL condition of runs that count for the status of their package. */
const COUNTS_FOR_STATUS = `state = 'finished' and not is_private and not cancelled and pin_packages = '[]' and extra_apt_sources = '[]'`;

/**
 * The id of a run and the fields of its request. A field that is added to RunRequest does not compile until it has a
 * column here.
 */
export abstract class RequestedRun implements RunRequest {
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
}

/** One requested test. No row of this table is ever saved whole: statements name the columns that they change. */
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
@SqlIndex(
  'runs_lines',
  `(arch, suite, backend, variant, is_private, priority, (coalesce(retried_by, requestor_id)),
    created_at, run_id) include (retried_by, requestor_id) where state = 'queued' and attempt = 0`,
)
@SqlIndex('runs_granted', `(arch, run_id) where attempt > 0 and state <> 'finished'`)
@SqlIndex('runs_unfinished_packages', `(package, run_id) where state <> 'finished'`)
@SqlIndex('runs_arrived', `(arch, created_in, run_id) where state = 'queued' and attempt = 0`)
@Index('runs_results', ['apiKeyId', 'updatedAt', 'runId'])
@SqlIndex(
  'runs_history',
  `(package, suite, arch, finished_at desc, run_id desc) where state = 'finished' and not is_private`,
)
@SqlIndex(
  'runs_references',
  `(package, suite, arch, finished_at desc, run_id desc) include (verdict, version)
    where trigger = 'migration-reference/0' and state = 'finished' and not is_private and not cancelled`,
)
@SqlIndex(
  'runs_changes',
  `(arch, updated_at, run_id) where state = 'finished' and not is_private and not cancelled`,
)
@SqlIndex('runs_recent', `(finished_at desc, run_id desc) where state = 'finished' and not is_private`)
@SqlIndex('runs_running', `(started_at, run_id) where state in ('leased', 'running') and not is_private`)
@SqlIndex('runs_waiting', `(priority desc, created_at, run_id) where state = 'queued' and not is_private`)
@SqlIndex(
  'runs_status',
  `(suite, arch, package, finished_at desc, run_id desc) include (verdict)
    where ${COUNTS_FOR_STATUS}`,
)
@SqlIndex('runs_status_updates', `(suite, arch, updated_at) where ${COUNTS_FOR_STATUS}`)
@SqlIndex(
  'runs_passes',
  `(suite, arch, package, finished_at desc, run_id desc) include (version)
    where ${COUNTS_FOR_STATUS} and verdict in ('pass', 'neutral')`,
)
@SqlIndex(
  'runs_failures',
  `(suite, arch, package, finished_at desc, run_id desc)
    where ${COUNTS_FOR_STATUS} and verdict = 'fail'`,
)
@SqlIndex(
  'runs_mismatches',
  `(finished_at desc, run_id desc)
    where state = 'finished' and not is_private and not cancelled and version <> 'n/a'
      and position(' ' || package || '/' in ' ' || trigger) > 0
      and position(' ' || package || '/' || version || ' ' in ' ' || trigger || ' ') = 0`,
)
@SqlIndex(
  'runs_public_queues',
  `(suite, arch, state, created_at) where state <> 'finished' and not is_private`,
)
@SqlIndex('runs_private_queues', `(suite, arch, state, created_at) where state <> 'finished' and is_private`)
@SqlIndex('runs_retries', `(retry_of) where retry_of is not null`)
@SqlIndex('runs_retried', `(retried_by, run_id) where retried_by <> requestor_id`)
@SqlIndex('runs_private', `(api_key_id, package) where is_private`)
@SqlIndex('runs_finished_private', `(finished_at) where state = 'finished' and is_private`)
// As for the first words: a longer word must not prevent a request.
@SqlIndex(
  'runs_triggers',
  `using gin ((case when trigger !~ '[^ ]{255}' then string_to_array(trigger, ' ') end))
    where trigger is not null`,
)
// A word that is longer than an entry of the index must not prevent a request.
@SqlIndex(
  'runs_first_words',
  `((left(split_part(trigger, ' ', 1), 255) collate "C"), run_id desc)
    where trigger is not null and not is_private`,
)
@SqlIndex(
  'runs_alike',
  `(error_signature, finished_at desc, run_id desc) include (package, suite, arch)
    where error_signature is not null and state = 'finished' and not is_private`,
)
@SqlIndex(
  'runs_newest_errors',
  `(finished_at desc, run_id desc) include (error_signature, package, suite, arch)
    where error_signature is not null and state = 'finished' and not is_private`,
)
@SqlIndex('runs_artifacts', `(finished_at, run_id) where artifacts_size is not null`)
@SqlIndex('runs_logs', `(finished_at, run_id) where log_size is not null`)
@SqlIndex(
  'runs_package_files',
  `(package, finished_at desc, run_id desc) include (log_size, artifacts_size)
    where log_size is not null or artifacts_size is not null`,
)
export class RunRow extends RequestedRun {
  @Column('integer')
  requestorId: number;

  /**
   * Checked together with the key, which belongs to this user: a second check of each row would cost much for a long
   * list.
   */
  @ManyToOne(() => UserRow, { nullable: false, createForeignKeyConstraints: false })
  @JoinColumn({ name: 'requestor_id' })
  requestor?: UserRow;

  /** The API key that owns the results. */
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

  /** The user who retried the run and is charged for its slot time. */
  @Column('integer', { nullable: true })
  retriedBy: number | null;

  @ManyToOne(() => UserRow)
  @JoinColumn({ name: 'retried_by', foreignKeyConstraintName: 'runs_retried_by_fkey' })
  retrier?: UserRow | null;

  /** The run with a newer version in its trigger for which this one was ended. It may have been removed since. */
  @Column('bigint', { nullable: true })
  supersededBy: number | null;

  @Column('text', { default: 'queued' })
  state: RunState;

  @Column('text', { nullable: true })
  verdict: Verdict | null;

  /** Whether a user ended it, or a newer request did; then it does not count for the package. */
  @Column('boolean', { default: false })
  cancelled: boolean;

  /** The latest granted attempt; the fencing token of the run. */
  @Column('integer', { default: 0 })
  attempt: number;

  /** Whether it was granted, or ingested by a dispatcher of an earlier version. */
  @Column('boolean', { default: false })
  takenIn: boolean;

  /** The number of the transaction that created it; null in older rows without a number. See `ARRIVALS`. */
  @Column('bigint', { nullable: true, default: () => 'current_transaction()' })
  createdIn: number | null;

  @Column('text', { nullable: true })
  version: string | null;

  @Column('text', { nullable: true })
  message: string | null;

  /** The cause of a tmpfail, if its worker knew it. */
  @Column('text', { nullable: true })
  trouble: Trouble | null;

  @Column('smallint', { nullable: true })
  exitCode: number | null;

  /** The worker that holds the lease or finished the run; null while the run waits. */
  @Column('text', { nullable: true })
  worker: string | null;

  @Column('integer', { nullable: true })
  durationSeconds: number | null;

  /** Bytes in the store; null when there is no such file. */
  @Column('bigint', { nullable: true })
  logSize: number | null;

  @Column('bigint', { nullable: true })
  artifactsSize: number | null;

  /**
   * The rules by which its logs were removed, and (below) its artifacts, and its facts and attempts: see `removedBy`.
   */
  @Column('text', { nullable: true })
  logRemovedBy: string | null;

  @Column('text', { nullable: true })
  artifactsRemovedBy: string | null;

  @Column('text', { nullable: true })
  storyRemovedBy: string | null;

  /** The single tests of a finished run; empty if unknown. Lists of runs do not contain it. */
  @Column('jsonb', { default: [] })
  tests: TestResult[];

  /** See errorSignature; null if no error is known. */
  @Column('text', { nullable: true })
  errorSignature: string | null;

  /** The lines of the log around its first error. Lists of runs do not contain it. */
  @Column('jsonb', { nullable: true })
  errorExcerpt: ErrorExcerpt | null;

  /** The image of the testbed of its result. */
  @Column('jsonb', { nullable: true })
  image: TestbedImage | null;

  @Column('timestamp with time zone', { precision: 3 })
  createdAt: Date;

  /** The time of the last creation, end or publication of the run; see `horizon.ts`. */
  @Column('timestamp with time zone', { precision: 3 })
  updatedAt: Date;

  /** The start of the latest attempt. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  startedAt: Date | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  finishedAt: Date | null;
}

/** A single row with the time up to which readers of results have received everything. */
@Entity('horizons')
@Check('horizons_single_check', 'is_single')
export class HorizonRow {
  @PrimaryColumn('boolean', { default: true })
  isSingle: boolean;

  /** UNIX time: all later writes have an `updated_at` at or above it. */
  @Column('bigint')
  second: number;

  @Column('timestamp with time zone')
  raisedAt: Date;
}
