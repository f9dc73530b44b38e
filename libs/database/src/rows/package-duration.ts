import { Column, Entity, PrimaryColumn } from 'typeorm';

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
