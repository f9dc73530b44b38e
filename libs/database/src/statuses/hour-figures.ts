import { Injectable } from '@nestjs/common';
import { PACKAGE_VERDICTS } from '@proctor/contracts';
import { columnsOf, upsertChangedRows, without } from '../kit/columns-of';
import { Database } from '../kit/database';
import {
  type ColumnsOf,
  command,
  integer,
  selectList,
  snakeCase,
  statement,
  text,
  time,
} from '../kit/statement';
import { MachineHourRow, QueueHourRow } from '../rows/hour';
import type { DayFilter } from './day-statistics';
import { isOfPackage } from './status-statements';

/** The public runs of an architecture in an hour, without cancelled ones. */
export interface ArchitectureHour extends Omit<QueueHourRow, 'suite' | 'waiting' | 'oldestSeconds'> {
  /** Runs that waited when the queues were last seen in this hour; null if no scheduler saw them. */
  waiting: number | null;
  /** How long the oldest of these had waited; 0: none waited. */
  oldestSeconds: number | null;
  /** The most slots that could get runs of the architecture at one time; null if no scheduler saw them. */
  slots: number | null;
}

/** The machine of a worker in an hour. */
export type MachineHour = Omit<MachineHourRow, 'worker' | 'isPublic'>;

/** The figures of an architecture are computed from the runs of at most this many hours. */
const HOURS_COMPUTED_MAX = 72;

/**
 * Figures of each hour: how many runs arrived, ended and waited, and how busy the slots were. The figures of the last
 * two hours are computed repeatedly; those of earlier hours stay until they are removed by age.
 */
@Injectable()
export class HourFigures {
  constructor(private readonly database: Database) {}

  /**
   * Saves the present figures of an architecture: a repetition, or two processes, change nothing.
   * @param slots how many slots can get runs now
   * @param keptDays older figures of all architectures are removed; null: none
   */
  async save(arch: string, slots: number, keptDays: number | null): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await Promise.all([
        transaction.query(KEEP_QUEUES, [arch, HOURS_COMPUTED_MAX]),
        transaction.query(KEEP_SLOTS, [arch, slots]),
        ...REMOVALS.map((removal) => transaction.query(removal, [keptDays])),
      ]);
    });
  }

  /** Saves the present state of machines. Several processes may do so: the highest load and the least room stay. */
  async saveMachines(machines: Omit<MachineHourRow, 'hour' | 'isPublic'>[]): Promise<void> {
    if (machines.length === 0) return;
    const columns = ['worker', 'loadPercent', 'freeDiskMib'] as const;
    await this.database.query(
      KEEP_MACHINES,
      columns.map((name) => machines.map((machine) => machine[name])),
    );
  }

  /**
   * The machine of a worker in each hour since then, the oldest first; hours in which it was away are absent, and hours in
   * which it could run private tests are for administrators alone.
   */
  listMachineHours(worker: string, since: Date, isAdmin: boolean): Promise<MachineHour[]> {
    return this.database.query(MACHINE_HOURS, [worker, since, isAdmin]);
  }

  /** The figures by hour and architecture, the oldest first. Hours in which nothing was seen or ended are absent. */
  listHours(since: Date, { suite, arch }: DayFilter): Promise<ArchitectureHour[]> {
    return this.database.query(HOURS, [since, suite, arch]);
  }
}

const hourOf = (moment: string): string => `date_trunc('hour', ${moment}, 'UTC')`;
const HOUR = `interval '1 hour'`;

const AMOUNTS = without(columnsOf(QueueHourRow), 'hour', 'arch', 'suite');
type Amounts = Partial<Record<keyof typeof AMOUNTS, string>>;
const AMOUNT_NAMES = Object.keys(AMOUNTS).map(snakeCase);

/** The SQL of rows with some amounts of a suite and hour; the other amounts are 0. */
function amounts(hour: string, values: Amounts, from: string): string {
  const list = (Object.keys(AMOUNTS) as (keyof Amounts)[]).map((name) => values[name] ?? '0');
  return `select r.suite, ${hour}, ${list.join(', ')} from ${from}`;
}

const COUNTED_VERDICTS = Object.fromEntries(
  PACKAGE_VERDICTS.map((verdict) => [verdict, `(r.verdict = '${verdict}')::integer`]),
);
const ARRIVED = 'cross join span where r.created_at >= span.first';
const SECONDS = `extract(epoch from least(r.ended_at, h.hour + ${HOUR}) - greatest(r.started_at, h.hour))`;

/**
 * Saves the figures of the queues of the architecture $1: of this hour and the one before, and of the hours since the
 * last that was saved, at most $2. A run changes when it ends or later, never before. Earlier hours keep how many runs
 * waited.
 */
const KEEP_QUEUES = command(`
  with span as materialized (
    select ${hourOf('now()')} as present, greatest(
      coalesce((select max(s.hour) from slot_hours s where s.arch = $1), '-infinity') - ${HOUR},
      ${hourOf('now()')} - $2::integer * ${HOUR}) as first
  ), ended as materialized (
    select r.suite, r.verdict, r.created_at, r.started_at, r.finished_at as ended_at
    from runs r cross join span
    where r.arch = $1 and r.state = 'finished' and not r.is_private and not r.cancelled and ${isOfPackage('r')}
      and r.updated_at >= span.first and r.finished_at >= span.first
  ), unfinished as materialized (
    select r.suite, r.state, r.created_at from runs r where r.arch = $1 and r.state <> 'finished' and not r.is_private
  ), executed as materialized (
    select suite, started_at, ended_at from ended where started_at is not null
    union all
    select r.suite, r.started_at, now() from runs r
    where r.state in ('leased', 'running') and not r.is_private and r.arch = $1 and r.started_at is not null
  ), parts (suite, hour, ${AMOUNT_NAMES.join(', ')}) as (
    ${amounts(hourOf('r.ended_at'), COUNTED_VERDICTS, 'ended r')}
    union all
    ${amounts(hourOf('r.created_at'), { arrived: '1' }, `ended r ${ARRIVED}`)}
    union all
    ${amounts(hourOf('r.created_at'), { arrived: '1' }, `unfinished r ${ARRIVED}`)}
    union all
    ${amounts(
      'h.hour',
      { busySeconds: SECONDS },
      `executed r cross join span cross join lateral generate_series(
        greatest(${hourOf('r.started_at')}, span.first), r.ended_at, ${HOUR}) h(hour)`,
    )}
    union all
    ${amounts(
      'span.present',
      { waiting: 'count(*)', oldestSeconds: 'extract(epoch from now() - min(r.created_at))' },
      `unfinished r cross join span where r.state = 'queued' group by r.suite, span.present`,
    )}
    union all
    ${amounts(
      'r.hour',
      {
        waiting: 'case when r.hour < span.present then r.waiting else 0 end',
        oldestSeconds: 'case when r.hour < span.present then r.oldest_seconds else 0 end',
      },
      'queue_hours r cross join span where r.arch = $1 and r.hour >= span.first',
    )}
  )
  insert into queue_hours as kept (hour, arch, suite, ${AMOUNT_NAMES.join(', ')})
  select hour, $1::text, suite, ${AMOUNT_NAMES.map((name) => `sum(${name})::integer`).join(', ')}
  from parts group by hour, suite order by hour, suite
  ${upsertChangedRows(QueueHourRow)}`);

/** Saves that the architecture $1 has $2 slots. */
const KEEP_SLOTS = command(`
  insert into slot_hours as kept (hour, arch, slots) values (${hourOf('now()')}, $1, $2)
  on conflict (hour, arch) do update set slots = excluded.slots where excluded.slots > kept.slots`);

/** Saves machines; the rows of all are written in one order, so that no process waits for another in a circle. */
const KEEP_MACHINES = command(`
  insert into machine_hours as kept (hour, worker, load_percent, free_disk_mib, is_public)
  select ${hourOf('now()')}, worker, max(load_percent), min(free_disk_mib),
    exists (select from workers w where w.name = worker and not w.may_run_private)
  from unnest($1::text[], $2::integer[], $3::integer[]) seen(worker, load_percent, free_disk_mib)
  group by worker order by worker
  on conflict (hour, worker) do update set load_percent = greatest(kept.load_percent, excluded.load_percent),
    free_disk_mib = least(kept.free_disk_mib, excluded.free_disk_mib), is_public = kept.is_public and excluded.is_public
  where excluded.load_percent > kept.load_percent or excluded.free_disk_mib < kept.free_disk_mib
    or excluded.is_public < kept.is_public`);

const MACHINE_HOURS = statement(
  columnsOf(MachineHourRow, 'hour', 'loadPercent', 'freeDiskMib'),
  `
  select hour, load_percent as "loadPercent", free_disk_mib as "freeDiskMib" from machine_hours
  where worker = $1 and hour >= $2 and (is_public or $3) order by hour`,
);

const REMOVALS = ['queue_hours', 'slot_hours', 'machine_hours'].map((table) =>
  command(`delete from ${table} where hour < now() - $1::integer * interval '1 day'`),
);

const SUMS = without(AMOUNTS, 'waiting', 'oldestSeconds');

const HOUR_COLUMNS = {
  hour: time.from('coalesce(q.hour, s.hour)'),
  arch: text.from('coalesce(q.arch, s.arch)'),
  ...(Object.fromEntries(
    Object.entries(SUMS).map(([name, column]) => [name, column.from(`coalesce(q.${snakeCase(name)}, 0)`)]),
  ) as typeof SUMS),
  waiting: integer.orNull.from('case when s.hour is not null then coalesce(q.waiting, 0) end'),
  oldestSeconds: integer.orNull.from('case when s.hour is not null then coalesce(q.oldest_seconds, 0) end'),
  slots: integer.orNull.from('s.slots'),
} satisfies ColumnsOf<ArchitectureHour>;

const IN_TIME = `hour >= $1::timestamptz and ($3::text is null or arch = $3)`;
const SUM_NAMES = [...Object.keys(SUMS).map(snakeCase), 'waiting'];

const HOURS = statement(
  HOUR_COLUMNS,
  `
  select ${selectList(HOUR_COLUMNS, 'q')}
  from (
    select hour, arch, ${SUM_NAMES.map((name) => `sum(${name})::integer as ${name}`).join(', ')},
      max(oldest_seconds) as oldest_seconds
    from queue_hours where ${IN_TIME} and ($2::text is null or suite = $2) group by hour, arch
  ) q full join (select hour, arch, slots from slot_hours where ${IN_TIME}) s
    on s.hour = q.hour and s.arch = q.arch
  order by 1, 2`,
);
