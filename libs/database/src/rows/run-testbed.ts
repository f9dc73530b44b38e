import type { OtherSuite, OtherVersion } from '@proctor/contracts';
import { Check, Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { SqlIndex } from './decorators';

/** A list of packages with their versions. Several runs may share it. */
@Entity('package_lists')
@Unique('package_lists_digest_key', ['digest'])
export class PackageListRow {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  listId: number;

  /** SHA-256 of its text. */
  @Column('bytea')
  digest: Buffer;

  /** The list whose text is the base for the compression of this one; the base itself has no base. */
  @Column('bigint', { nullable: true })
  baseList: number | null;

  /** The compressed text (raw deflate), see listText. */
  @Column('bytea')
  content: Buffer;
}

/** The testbed of a run. */
@Entity('run_testbeds')
@Check('run_testbeds_lists_check', '(testbed_list is null) = (added_list is null)')
@Check('run_testbeds_fallback_check', '(fallback_line is null) = (fallback_release is null)')
@SqlIndex(
  'run_testbeds_mismatches',
  `(finished_at desc, run_id desc)
    where finished_at is not null and (fallback_line is not null or other_versions <> '[]')`,
)
@SqlIndex(
  'run_testbeds_other_suites',
  `(finished_at desc, run_id desc) where finished_at is not null and other_suites <> '[]'`,
)
export class RunTestbedRow {
  @PrimaryColumn('bigint')
  runId: number;

  /** The attempt whose files it was read from. */
  @Column('integer')
  attempt: number;

  /** The packages of the testbed; null if the result had no list. */
  @Column('bigint', { nullable: true })
  testbedList: number | null;

  /** The packages that were installed or upgraded for the run. */
  @Column('bigint', { nullable: true })
  addedList: number | null;

  @Column('text', { nullable: true })
  kernel: string | null;

  /** The line of the log which says that pins were given up. */
  @Column('integer', { nullable: true })
  fallbackLine: number | null;

  /** The release from which all packages came then. */
  @Column('text', { nullable: true })
  fallbackRelease: string | null;

  /** The first line of the log which says that a service was not started for lack of an init. */
  @Column('integer', { nullable: true })
  withoutInitLine: number | null;

  /** Name, first line in the log and seconds of each test. */
  @Column('jsonb', { default: [] })
  tests: [name: string, line: number, seconds: number | null][];

  /** When the run finished; null in rows of earlier versions. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  finishedAt: Date | null;

  /** Packages of the run's trigger that were installed in another version. */
  @Column('jsonb', { default: [] })
  otherVersions: OtherVersion[];

  /** Suites that the request did not name, from which packages came. */
  @Column('jsonb', { default: [] })
  otherSuites: OtherSuite[];
}

/** A package whose version differs between a failed run and the run before it, which had passed. */
@Entity('run_changes')
@Index('run_changes_package', ['package', 'runId'])
export class RunChangeRow {
  /** A binary package, or the source package of a trigger. */
  @PrimaryColumn('text')
  package: string;

  /** Empty where it was not installed. */
  @PrimaryColumn('text')
  toVersion: string;

  /** Empty where it was not installed. */
  @PrimaryColumn('text')
  fromVersion: string;

  @PrimaryColumn('bigint')
  runId: number;

  @Column('bigint')
  passedRunId: number;
}
