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

/** Of runs that say how their package is. */
const COUNTS_FOR_STATUS = `state = 'finished' and not is_private and not cancelled and pin_packages = '[]' and extra_apt_sources = '[]'`;

/** The id of a run and what its request says: a field that is added to RunRequest does not compile until it has a column here. */
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
@SqlIndex('runs_private', `(api_key_id, package) where is_private`)
@SqlIndex('runs_finished_private', `(finished_at) where state = 'finished' and is_private`)
// As with the first words: a longer word must not keep a run from being requested.
@SqlIndex(
  'runs_triggers',
  `using gin ((case when trigger !~ '[^ ]{255}' then string_to_array(trigger, ' ') end))
    where trigger is not null`,
)
// A word that is longer than an entry of an index may be must not keep a run from being requested.
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

/** The one row with the time up to which readers of results have got everything. */
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
