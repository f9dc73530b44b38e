import type { StatusReply } from '@proctor/contracts';
import type { ArchitectureHour, Outcomes, QueueLength } from '@proctor/database';
import type { PauseResource } from '@proctor/resources';
import { pauseOfQueue } from '../../admin/decision-object';
import { bars } from '../layout/chart';
import type { Series } from '../layout/chart';
import type { Html } from '../layout/html';
import { estimateInWords } from '../layout/times';

const HOUR_MS = 3_600_000;
const HOURS_SHOWN = 24;
const OUTCOMES_SIZE: [number, number] = [480, 200];
const ARCHITECTURE_SIZE: [number, number] = [280, 84];

/** The beginnings of the last 24 hours, in the form of a chart; the last one is the present hour. */
export function lastHours(now: Date): string[] {
  const present = Math.floor(now.getTime() / HOUR_MS);
  return Array.from({ length: HOURS_SHOWN }, (_, index) =>
    hourName(new Date((present - (HOURS_SHOWN - 1 - index)) * HOUR_MS)),
  );
}

/** `2026-11-20T15:00Z` */
function hourName(hour: Date): string {
  return hour.toISOString().replace(':00.000Z', 'Z');
}

/** How many public runs ended in each hour, and how: a chart, and the numbers of all hours together; null without any. */
export function outcomesView(
  hours: ArchitectureHour[],
  times: string[],
): { chart: Html; total: Outcomes } | null {
  const sums = (amount: (hour: ArchitectureHour) => number): number[] =>
    times.map((time) =>
      hours.filter(({ hour }) => hourName(hour) === time).reduce((sum, each) => sum + amount(each), 0),
    );
  const series: Series[] = [
    { name: 'failed', className: 'fail', values: sums(({ fail }) => fail) },
    { name: 'could not run', className: 'tmpfail', values: sums(({ tmpfail }) => tmpfail) },
    { name: 'passed', className: 'pass', values: sums(({ pass, neutral }) => pass + neutral) },
  ];
  const [failures = 0, broken = 0, passed = 0] = series.map(({ values }) =>
    values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
  );
  if (failures + broken + passed === 0) return null;
  const label = 'Public runs that ended, hour by hour; the text beside it has the sums';
  return {
    chart: bars({ label, times, series, size: OUTCOMES_SIZE }),
    total: { passed, failed: failures, broken, untested: 0, running: 0, waiting: 0 },
  };
}

/** What the database and the dispatcher know about an architecture. */
interface ArchitectureFacts {
  queues: QueueLength[];
  hours: ArchitectureHour[];
  pauses: PauseResource[];
  /** Null when no dispatcher answers. */
  status: StatusReply | null;
}

/** An architecture now and over the last hours; null when it had nothing to do. */
export function architectureView(arch: string, facts: ArchitectureFacts, times: string[]) {
  const queues = facts.queues.filter((queue) => queue.arch === arch);
  const hours = new Map(
    facts.hours.filter((hour) => hour.arch === arch).map((each) => [hourName(each.hour), each]),
  );
  const sum = (count: (queue: QueueLength) => number): number =>
    queues.reduce((total, queue) => total + count(queue), 0);
  const [waiting, running] = [sum((queue) => queue.waiting), sum((queue) => queue.running)];
  const isPresent = (time: string): boolean => time === times.at(-1);
  const waited = times.map((time) => (isPresent(time) ? waiting : (hours.get(time)?.waiting ?? null)));
  const executed = times.map((time) =>
    isPresent(time) ? running : (hours.get(time)?.busySeconds ?? 0) / (HOUR_MS / 1_000),
  );
  if ([...waited, ...executed].every((value) => !value)) return null;
  return {
    arch,
    waiting,
    running,
    oldestAt: oldestOf(queues),
    doneIn: doneIn(queues, facts),
    chart: bars({
      label: `${arch}: running and waiting, hour by hour`,
      times,
      series: [
        { name: 'running', className: 'running', values: executed },
        { name: 'waiting', className: 'queued', values: waited },
      ],
      size: ARCHITECTURE_SIZE,
    }),
  };
}

function oldestOf(queues: QueueLength[]): Date | null {
  const times = queues.flatMap(({ oldestAt }) => oldestAt ?? []);
  return times.sort((one, other) => one.getTime() - other.getTime())[0] ?? null;
}

/** `about 5 h`; empty when nothing waits, and when the time of one of the queues is not known. */
function doneIn(queues: QueueLength[], { pauses, status }: ArchitectureFacts): string {
  const times = queues
    .filter(({ waiting }) => waiting > 0)
    .map((queue) =>
      pauseOfQueue(pauses, queue)
        ? null
        : status?.queues.find(({ suite }) => suite === queue.suite)?.emptyInMs,
    );
  const spans = times.filter((time) => typeof time === 'number');
  return spans.length === 0 || spans.length < times.length ? '' : estimateInWords(Math.max(...spans) / 1_000);
}
