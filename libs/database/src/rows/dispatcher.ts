import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Who owns an architecture, and until when. */
@Entity('dispatchers')
export class DispatcherRow {
  @PrimaryColumn('text')
  arch: string;

  @Column('bigint')
  epoch: number;

  /** A scheduler's id; null once it was given up. */
  @Column('text', { nullable: true })
  owner: string | null;

  @Column('timestamp with time zone', { precision: 3 })
  expiresAt: Date;
}
