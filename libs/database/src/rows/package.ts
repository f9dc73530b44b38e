import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A source package that some run was requested for. */
@Entity('packages')
@Unique('packages_name_key', ['name'])
export class PackageRow {
  /** Negative while only private runs made it known, so that the ids of others do not reveal it. */
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  packageId: number;

  @Column('text')
  name: string;

  /** Where its runs are executed when the request does not say; null: the deployment's default. */
  @Column('text', { nullable: true })
  backend: string | null;

  @Column('boolean', { default: false })
  removed: boolean;

  /** Whether a public run made it known. */
  @Column('boolean')
  isPublic: boolean;
}

/** How long runs of a package take on an architecture. */
@Entity('package_durations')
export class PackageDurationRow {
  @PrimaryColumn('text')
  arch: string;

  @PrimaryColumn('text')
  package: string;

  /** A moving average. */
  @Column('double precision')
  seconds: number;

  /** How many it was made of. */
  @Column('integer')
  runs: number;

  /** When the latest came. */
  @Column('timestamp with time zone', { precision: 3, default: () => 'now()' })
  learnedAt: Date;
}

/** The packages that a suite has on an architecture, as the worker said that looked last. */
@Entity('source_names')
export class SourceNamesRow {
  @PrimaryColumn('text')
  suite: string;

  @PrimaryColumn('text')
  arch: string;

  /** Who said it. */
  @Column('text')
  worker: string;

  /** SHA-256 of `content`. */
  @Column('bytea')
  digest: Buffer;

  /** Gzip of its lines, see sourceNamesLine. */
  @Column('bytea')
  content: Buffer;

  /** When the archive was last seen to have these packages. */
  @Column('timestamp with time zone', { precision: 3 })
  at: Date;
}
