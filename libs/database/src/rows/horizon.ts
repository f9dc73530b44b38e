import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The one row that holds how far readers of results were told that nothing new comes. */
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
