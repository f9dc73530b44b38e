import { type NeutralStatus, timestamp } from '@proctor/contracts';
import type { ArchitectureHour, DayFilter, MachineHour, WorkerHour } from '@proctor/database';
import { type HourResource, OptionalField, sentAs, text, whole } from '@proctor/resources';
import { bars, lines } from '../layout/chart';
import type { ChartOf, Series } from '../layout/chart';
import type { Html } from '../layout/html';
import { secondsInWords } from '../layout/times';

const HOUR_MS = 3_600_000;
const HOUR_SECONDS = 3_600;
export const MIB_IN_GIB = 1_024;
const SIZE: [number, number] = [560, 180];

export const HOUR_SPANS = [1, 3, 7] as const;
export const HOUR_SPAN = 3;

/** The query of the figures by hour. */
export class HoursQuery implements DayFilter {
  @OptionalField(
    sentAs<(typeof HOUR_SPANS)[number]>(whole({ enum: [...HOUR_SPANS], default: HOUR_SPAN })),
    'The number of days up to now.',
  )
  days: (typeof HOUR_SPANS)[number];

  @OptionalField(sentAs<string | null>(text()))
  suite: string | null;

  @OptionalField(sentAs<string | null>(text()))
  arch: string | null;
}

/** What the page of the queues says about its query, and the addresses with another one. */
export function hoursFilter(query: HoursQuery) {
  const { suite, arch, days } = query;
  const place = suite === null || arch === null ? (suite ?? arch) : `${suite}/${arch}`;
  return {
    asked: query,
    place,
    isUnindexed: place !== null || days !== HOUR_SPAN,
    hoursUrl: `/status/queue/hours.json?${queryOf(query)}`,
    spans: HOUR_SPANS.map((span) => ({
      span,
      isHere: span === days,
      url: `/status/queue/?${queryOf({ ...query, days: span })}`,
    })),
  };
}

function queryOf({ days, suite, arch }: HoursQuery): string {
  const query = new URLSearchParams({ days: String(days) });
  if (suite !== null) query.set('suite', suite);
  if (arch !== null) query.set('arch', arch);
  return query.toString();
}

/** The first of the hours of the last `days` days; the present hour is the last one. */
export function firstHour(now: Date, days: number): Date {
  return new Date((Math.floor(now.getTime() / HOUR_MS) - days * 24 + 1) * HOUR_MS);
}

/** An hour of queues or of a worker, as it is drawn. Amounts are null in an hour without figures. */
interface HourOfWork {
  /** As a chart names it. */
  time: string;
  pass: number | null;
  fail: number | null;
  tmpfail: number | null;
  /** On average. */
  busySlots: number | null;
}

interface HourOfQueues extends HourOfWork {
  arrived: number | null;
  waiting: number | null;
  oldestSeconds: number | null;
  slots: number | null;
}

/** The charts of queues, and their table, the newest hour first. */
export function queueHoursView(hours: ArchitectureHour[], first: Date, now: Date) {
  const work = timesOf(first, now).map((begin) => queuesIn(hours, begin, now));
  const charts = [
    chartOf(work, 'Waiting runs', bars, [['waiting', 'neutral', ({ waiting }) => waiting]]),
    chartOf(
      work,
      'Longest wait',
      bars,
      [['waited', 'neutral', ({ oldestSeconds }) => inHours(oldestSeconds)]],
      ' h',
    ),
    chartOf(work, 'Runs that arrived and ended', lines, [
      ['arrived', 'first', ({ arrived }) => arrived],
      ['ended', 'second', endedIn],
    ]),
    endedChart(work, 'How runs ended'),
    chartOf(work, 'Busy slots', lines, [
      ['busy on average', 'first', ({ busySlots }) => busySlots],
      ...(work.some(({ slots }) => slots !== null) ? [SLOTS] : []),
    ]),
  ];
  return {
    charts,
    caption: 'Public runs by hour, UTC, the newest first',
    columns: [
      ['Waiting', 'waiting'],
      ['Longest wait', 'longestWait'],
      ['Arrived', 'arrived'],
      ...ENDED_COLUMNS,
      ['Slots', 'slots'],
    ],
    rows: work.toReversed().map((hour) => ({
      ...hour,
      ...rowOf(hour),
      longestWait: hour.oldestSeconds === null ? null : secondsInWords(hour.oldestSeconds),
    })),
  };
}

const ENDED_COLUMNS = [
  ['Pass', 'pass'],
  ['Fail', 'fail'],
  ['Tmpfail', 'tmpfail'],
  ['Busy slots', 'busySlots'],
];

const SLOTS: Drawn<HourOfQueues> = ['slots', 'second', ({ slots }) => slots];

interface HourOfWorker extends HourOfWork {
  loadPercent: number | null;
  freeDiskMib: number | null;
}

/**
 * The charts of a worker, and their table, the newest hour first.
 * @param machineHours empty if the reader may not see the machine, or its worker does not report it
 */
export function workerHoursView(hours: WorkerHour[], machineHours: MachineHour[], first: Date, now: Date) {
  const work = timesOf(first, now).map((begin): HourOfWorker => {
    const { pass, neutral, fail, tmpfail, busySeconds } =
      hours.find(({ hour }) => hour.getTime() === begin) ?? IDLE;
    const machine = machineHours.find(({ hour }) => hour.getTime() === begin);
    return {
      time: timeName(begin),
      pass: pass + neutral,
      fail,
      tmpfail,
      busySlots: onAverage(busySeconds, begin, now),
      loadPercent: machine?.loadPercent ?? null,
      freeDiskMib: machine?.freeDiskMib ?? null,
    };
  });
  const charts = [
    endedChart(work, 'How attempts ended'),
    chartOf(work, 'Busy slots', bars, [['busy on average', 'neutral', ({ busySlots }) => busySlots]]),
  ];
  const isMachineSeen = machineHours.length > 0;
  return {
    charts: isMachineSeen ? [...charts, ...machineCharts(work)] : charts,
    caption: 'Attempts with public runs by hour, UTC, the newest first',
    columns: isMachineSeen ? [...ENDED_COLUMNS, ...MACHINE_COLUMNS] : ENDED_COLUMNS,
    rows: work.toReversed().map((hour) => ({ ...hour, ...rowOf(hour) })),
  };
}

const MACHINE_COLUMNS = [
  ['Highest load, %', 'loadPercent'],
  ['Least free disk, MiB', 'freeDiskMib'],
];

function machineCharts(work: HourOfWorker[]) {
  return [
    chartOf(work, 'Highest load', bars, [['load by processor', 'neutral', (hour) => hour.loadPercent]], ' %'),
    chartOf(
      work,
      'Least free disk',
      lines,
      [['free', 'first', ({ freeDiskMib }) => (freeDiskMib === null ? null : freeDiskMib / MIB_IN_GIB)]],
      ' GiB',
    ),
  ];
}

const IDLE = { pass: 0, neutral: 0, fail: 0, tmpfail: 0, busySeconds: 0 };

/** Slots of several architectures are not added: a worker shares its slots between its architectures. */
function queuesIn(hours: ArchitectureHour[], begin: number, now: Date): HourOfQueues {
  const own = hours.filter(({ hour }) => hour.getTime() === begin);
  const isOne = new Set(hours.map(({ arch }) => arch)).size === 1;
  const sum = (amount: (hour: ArchitectureHour) => number): number | null =>
    own.length === 0 ? null : own.reduce((total, hour) => total + amount(hour), 0);
  const sightings = own.filter(({ waiting }) => waiting !== null);
  const ifSeen = <T>(value: T): T | null => (sightings.length === 0 ? null : value);
  return {
    time: timeName(begin),
    arrived: sum(({ arrived }) => arrived),
    pass: sum(({ pass, neutral }) => pass + neutral),
    fail: sum(({ fail }) => fail),
    tmpfail: sum(({ tmpfail }) => tmpfail),
    busySlots: onAverage(
      sum(({ busySeconds }) => busySeconds),
      begin,
      now,
    ),
    waiting: ifSeen(sum(({ waiting }) => waiting ?? 0)),
    oldestSeconds: ifSeen(Math.max(0, ...own.map(({ oldestSeconds }) => oldestSeconds ?? 0))),
    slots: isOne ? (own[0]?.slots ?? null) : null,
  };
}

function timesOf(first: Date, now: Date): number[] {
  const count = Math.floor((now.getTime() - first.getTime()) / HOUR_MS) + 1;
  return Array.from({ length: count }, (_, index) => first.getTime() + index * HOUR_MS);
}

/** `2026-11-20T15:00Z` */
function timeName(begin: number): string {
  return new Date(begin).toISOString().replace(':00.000Z', 'Z');
}

/** Null while the hour lasts: the average would differ at each look, and with it the whole page. */
function onAverage(busySeconds: number | null, begin: number, now: Date): number | null {
  return busySeconds === null || begin + HOUR_MS > now.getTime() ? null : busySeconds / HOUR_SECONDS;
}

function inHours(seconds: number | null): number | null {
  return seconds === null ? null : seconds / HOUR_SECONDS;
}

function endedIn({ pass, fail, tmpfail }: HourOfWork): number | null {
  return pass === null ? null : pass + (fail ?? 0) + (tmpfail ?? 0);
}

/** A series of a chart: its name, its class, and its value in an hour. */
type Drawn<Work> = readonly [name: string, className: string, value: (hour: Work) => number | null];

function chartOf<Work extends HourOfWork>(
  work: Work[],
  title: string,
  draw: (chart: ChartOf) => Html,
  values: Drawn<Work>[],
  unit?: string,
): { title: string; figure: Html } {
  const series = values.map(([name, className, value]): Series => ({
    name,
    className,
    values: work.map(value),
  }));
  const chart = {
    label: `${title}, hour by hour; the table below has the numbers`,
    times: work.map(({ time }) => time),
    series,
    size: SIZE,
    unknown: 'no figures: the hour is not over, or no scheduler was at work',
  };
  return { title, figure: draw(unit === undefined ? chart : { ...chart, unit }) };
}

function endedChart<Work extends HourOfWork>(work: Work[], title: string): { title: string; figure: Html } {
  return chartOf(
    work,
    title,
    bars,
    (['fail', 'tmpfail', 'pass'] as const).map((verdict) => [verdict, verdict, (hour) => hour[verdict]]),
  );
}

function rowOf(hour: HourOfWork) {
  return {
    ...hour,
    time: hour.time.replace('T', ' ').replace('Z', ' UTC'),
    busySlots: hour.busySlots?.toFixed(1),
  };
}

/** The figures of an architecture in an hour as JSON. */
export function hourObject(hour: ArchitectureHour, neutral: NeutralStatus): HourResource {
  const { pass, neutral: empty, fail, tmpfail } = hour;
  const runs = neutral === 'pass' ? { pass: pass + empty, neutral: 0 } : { pass, neutral: empty };
  return {
    hour: timestamp(hour.hour),
    arch: hour.arch,
    waiting: hour.waiting,
    oldest_seconds: hour.oldestSeconds,
    slots: hour.slots,
    busy_seconds: hour.busySeconds,
    arrived: hour.arrived,
    runs: { ...runs, fail, tmpfail },
  };
}
