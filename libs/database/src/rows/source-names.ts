import { Column, Entity, PrimaryColumn } from 'typeorm';

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
