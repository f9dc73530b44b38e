import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { isOneOf } from './decorators';

export const IMPORTED_KINDS = ['user', 'key', 'run'] as const;
export type ImportedKind = (typeof IMPORTED_KINDS)[number];

/** What something that was imported from another service is called here. */
@Entity('imported_ids')
@Check('imported_ids_kind_check', isOneOf('kind', IMPORTED_KINDS))
export class ImportedIdRow {
  /** `debci`, or another service. */
  @PrimaryColumn('text')
  source: string;

  @PrimaryColumn('text')
  kind: ImportedKind;

  @PrimaryColumn('text')
  foreignId: string;

  @Column('bigint')
  localId: number;
}
