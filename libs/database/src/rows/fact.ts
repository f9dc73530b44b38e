import {
  FACT_KINDS,
  type FactKind,
  RUN_STATES,
  type RunState,
  type Verdict,
  VERDICTS,
} from '@proctor/contracts';
import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { isOneOf, SqlIndex } from './decorators';

/**
 * One thing that happened to a run, inserted by the statement that made it happen. Rows are only added. Of one run, ids
 * rise in the order of the commits, since each is drawn while its run's row is locked. No foreign key holds it to its
 * run: it would be looked up once more for each of the thousands that a request may add.
 */
@Entity('facts')
@Check('facts_kind_check', isOneOf('kind', FACT_KINDS))
@Check('facts_state_check', isOneOf('state', RUN_STATES))
@Check('facts_verdict_check', isOneOf('verdict', VERDICTS))
@Index('facts_story', ['runId', 'factId'])
@Index('facts_times', ['at', 'factId'])
@SqlIndex('facts_unpublished', `(arch, fact_id) where not published`)
export class FactRow {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  factId: number;

  @Column('bigint')
  runId: number;

  @Column('text')
  arch: string;

  @Column('text')
  suite: string;

  @Column('text')
  kind: FactKind;

  /** The state of the run after the fact. */
  @Column('text')
  state: RunState;

  /** The latest granted attempt; 0 if none was granted. */
  @Column('integer')
  attempt: number;

  /** `user NAME`, `worker NAME` or `scheduler`. */
  @Column('text')
  actor: string;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('text', { nullable: true })
  verdict: Verdict | null;

  @Column('timestamp with time zone', { precision: 3 })
  at: Date;

  /** Whether the bus has received it as an event. */
  @Column('boolean', { default: false })
  published: boolean;
}
