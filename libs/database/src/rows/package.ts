import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A source package that some run was requested for. */
@Entity('packages')
@Unique('packages_name_key', ['name'])
export class PackageRow {
  /** Negative while only private runs have named the package, so that the ids of others do not reveal it. */
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  packageId: number;

  @Column('text')
  name: string;

  /** The backend of its runs if the request names none; null: the default of the deployment. */
  @Column('text', { nullable: true })
  backend: string | null;

  @Column('boolean', { default: false })
  removed: boolean;

  /** Whether a public run has named the package. */
  @Column('boolean')
  isPublic: boolean;
}

/** The duration of the runs of a package on an architecture. */
@Entity('package_durations')
export class PackageDurationRow {
  @PrimaryColumn('text')
  arch: string;

  @PrimaryColumn('text')
  package: string;

  /** A moving average. */
  @Column('double precision')
  seconds: number;

  /** The number of durations in the average. */
  @Column('integer')
  runs: number;

  /** When the latest duration was added. */
  @Column('timestamp with time zone', { precision: 3, default: () => 'now()' })
  learnedAt: Date;
}

/** The packages of a suite on an architecture, as the latest worker reported them. */
@Entity('source_names')
export class SourceNamesRow {
  @PrimaryColumn('text')
  suite: string;

  @PrimaryColumn('text')
  arch: string;

  /** The worker that reported them. */
  @Column('text')
  worker: string;

  /** SHA-256 of `content`. */
  @Column('bytea')
  digest: Buffer;

  /** The lines of the list, compressed with gzip, see sourceNamesLine. */
  @Column('bytea')
  content: Buffer;

  /** When the archive was last seen to have these packages. */
  @Column('timestamp with time zone', { precision: 3 })
  at: Date;
}
