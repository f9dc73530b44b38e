import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The public runs of a suite queue in an hour, UTC, without cancelled ones. Computed from the runs while the hour and
 * the next one last; a queue without such runs has no row.
 */
@Entity('queue_hours')
export class QueueHourRow {
  /** The beginning of the hour. */
  @PrimaryColumn('timestamp with time zone', { precision: 3 })
  hour: Date;

  @PrimaryColumn('text')
  arch: string;

  @PrimaryColumn('text')
  suite: string;

  /** Runs that were requested. */
  @Column('integer')
  arrived: number;

  /** Runs that ended, by verdict. */
  @Column('integer')
  pass: number;

  @Column('integer')
  neutral: number;

  @Column('integer')
  fail: number;

  @Column('integer')
  tmpfail: number;

  /** The time that slots spent on these runs, on the latest attempt of each. */
  @Column('integer')
  busySeconds: number;

  /** Runs that waited when the queue was last seen in this hour, and (below) how long the oldest one had waited. */
  @Column('integer')
  waiting: number;

  @Column('integer')
  oldestSeconds: number;
}

/** An hour in which the dispatcher of an architecture was seen at work. */
@Entity('slot_hours')
export class SlotHourRow {
  @PrimaryColumn('timestamp with time zone', { precision: 3 })
  hour: Date;

  @PrimaryColumn('text')
  arch: string;

  /** The most slots that could get runs of the architecture at one time. */
  @Column('integer')
  slots: number;
}

/** The machine of a worker in an hour, as schedulers saw it. */
@Entity('machine_hours')
export class MachineHourRow {
  @PrimaryColumn('timestamp with time zone', { precision: 3 })
  hour: Date;

  @PrimaryColumn('text')
  worker: string;

  /** The highest load by processor, of a minute. */
  @Column('integer')
  loadPercent: number;

  /** The least MiB that were free on its disk. */
  @Column('integer')
  freeDiskMib: number;

  /** Whether the worker could run no private test all the time: a machine that is busy shows that one is executed. */
  @Column('boolean')
  isPublic: boolean;
}
