import type { NeutralStatus, PackageVerdict } from '@proctor/contracts';
import type { DayFilter, PackagesOfDay, RunsOfDay } from '@proctor/database';
import { OptionalField, sentAs, text, whole, type StatisticsResource } from '@proctor/resources';
import type { FeedEntry } from '../../public-data/status-feed';
import { areas, bars, lines } from '../layout/chart';
import type { ChartOf, Series } from '../layout/chart';
import type { Html } from '../layout/html';
import { secondsInWords } from '../layout/times';

const DAY_MS = 86_400_000;

export const SPANS = [30, 90, 365] as const;

export const SPAN = 90;

/** The query of the statistics. */
export class StatisticsQuery implements DayFilter {
  @OptionalField(
    sentAs<(typeof SPANS)[number]>(whole({ enum: [...SPANS], default: SPAN })),
    'The number of days; today is the last one.',
  )
  days: (typeof SPANS)[number];

  @OptionalField(sentAs<string | null>(text()))
  suite: string | null;

  @OptionalField(sentAs<string | null>(text()))
  arch: string | null;
}

/** Numbers by status. */
type Counts = Record<PackageVerdict, number>;

/** Figures of a day. */
export interface DayFigures {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  /** Packages by their latest status at the end of the day; null when they were not counted. */
  packages: Counts | null;
  /** Runs that ended on this day. */
  runs: Counts;
  testSeconds: number;
  /** Mean time from the request to the start; null when no run started. */
  meanWaitSeconds: number | null;
  startedRuns: number;
  began: { inQuarter: number; inHour: number; inSixHours: number; inDay: number };
}

/** The figures of the last `days` days, the oldest first. @param today `YYYY-MM-DD`, which is included */
export function figuresOf(
  runs: RunsOfDay[],
  packages: PackagesOfDay[],
  { days, today }: { days: number; today: string },
  neutral: NeutralStatus,
): DayFigures[] {
  const runsOf = new Map<string, RunsOfDay[]>();
  for (const row of runs) runsOf.set(row.day, [...(runsOf.get(row.day) ?? []), row]);
  const packagesOf = new Map(packages.map((counts) => [counts.day, counts]));
  return firstDays(today, days).map((day) => {
    const rows = runsOf.get(day) ?? [];
    const sum = (value: (row: RunsOfDay) => number): number =>
      rows.reduce((total, row) => total + value(row), 0);
    const byVerdict: Counts = { pass: 0, neutral: 0, fail: 0, tmpfail: 0 };
    for (const row of rows) byVerdict[row.verdict] += row.runs;
    const packages = packagesOf.get(day);
    const startedRuns = sum((row) => row.startedRuns);
    return {
      day,
      packages: packages ? asShown(packages, neutral) : null,
      runs: asShown(byVerdict, neutral),
      testSeconds: sum((row) => row.testSeconds),
      meanWaitSeconds: startedRuns > 0 ? Math.round(sum((row) => row.waitSeconds) / startedRuns) : null,
      startedRuns,
      began: {
        inQuarter: sum((row) => row.beganInQuarter),
        inHour: sum((row) => row.beganInHour),
        inSixHours: sum((row) => row.beganInSixHours),
        inDay: sum((row) => row.beganInDay),
      },
    };
  });
}

/** The last `days` days up to `today`, the oldest first. */
export function firstDays(today: string, days: number): string[] {
  const end = Date.parse(`${today}T00:00:00Z`);
  return Array.from({ length: days }, (_, index) =>
    new Date(end - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

function asShown({ pass, neutral: empty, fail, tmpfail }: Counts, neutral: NeutralStatus): Counts {
  return neutral === 'pass'
    ? { pass: pass + empty, neutral: 0, fail, tmpfail }
    : { pass, neutral: empty, fail, tmpfail };
}

function total({ pass, neutral, fail, tmpfail }: Counts): number {
  return pass + neutral + fail + tmpfail;
}

/** Summarizes the figures in words. */
export function statisticsSentence(figures: DayFigures[]): string {
  const last = figures.findLast(({ packages }) => packages !== null)?.packages ?? null;
  const runCount = figures.reduce((sum, { runs }) => sum + total(runs), 0);
  const broken = figures.reduce((sum, { runs }) => sum + runs.tmpfail, 0);
  const hours = Math.round(figures.reduce((sum, { testSeconds }) => sum + testSeconds, 0) / 3_600);
  const now = last
    ? `${number(last.fail)} of ${number(total(last))} packages on suites and architectures fail now, and ${number(last.tmpfail)} could not be tested. `
    : '';
  if (runCount === 0) return `${now}No public run finished in these ${figures.length} days.`;
  const share = Math.round((1000 * broken) / runCount) / 10;
  return `${now}${number(runCount)} public runs finished in ${figures.length} days, with ${number(hours)} hours of tests. ${share} % of them ended as tmpfail.`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

const VERDICTS_DRAWN = ['fail', 'tmpfail', 'neutral', 'pass'] as const;

interface DrawnChart extends Omit<ChartOf, 'label' | 'times'> {
  title: string;
  draw: (chart: ChartOf) => Html;
}

function chartsOf(figures: DayFigures[]): DrawnChart[] {
  const series = (name: string, className: string, value: (day: DayFigures) => number | null): Series => ({
    name,
    className,
    values: figures.map(value),
  });
  const shareOf = (value: (began: DayFigures['began']) => number) => (day: DayFigures) =>
    day.startedRuns > 0 ? (100 * value(day.began)) / day.startedRuns : null;
  return [
    {
      title: 'Packages that do not pass',
      draw: areas,
      unknown: 'not counted',
      series: (['fail', 'tmpfail'] as const).map((verdict) =>
        series(verdict, verdict, ({ packages }) => packages && packages[verdict]),
      ),
    },
    {
      title: 'Finished runs',
      draw: bars,
      series: VERDICTS_DRAWN.filter((verdict) => figures.some(({ runs }) => runs[verdict] > 0)).map(
        (verdict) => series(verdict, verdict, ({ runs }) => (total(runs) > 0 ? runs[verdict] : null)),
      ),
      unknown: 'no run finished',
    },
    {
      title: 'Time until runs started',
      draw: lines,
      unit: ' %',
      top: 100,
      unknown: 'no run began',
      series: [
        series(
          `within ${secondsInWords(86_400)}`,
          'first',
          shareOf(({ inDay }) => inDay),
        ),
        series(
          `within ${secondsInWords(21_600)}`,
          'second',
          shareOf(({ inSixHours }) => inSixHours),
        ),
        series(
          `within ${secondsInWords(3_600)}`,
          'third',
          shareOf(({ inHour }) => inHour),
        ),
        series(
          `within ${secondsInWords(900)}`,
          'fourth',
          shareOf(({ inQuarter }) => inQuarter),
        ),
      ],
    },
    {
      title: 'Hours of tests',
      draw: bars,
      unit: ' h',
      series: [
        series('of tests', 'neutral', ({ runs, testSeconds }) =>
          total(runs) > 0 ? testSeconds / 3_600 : null,
        ),
      ],
      unknown: 'no run finished',
    },
  ];
}

/** The page of the statistics: charts, and a table with a row for each day. */
export function statisticsView(figures: DayFigures[], query: StatisticsQuery) {
  const times = figures.map(({ day }) => day);
  return {
    asked: query,
    spans: SPANS.map((span) => ({
      span,
      isHere: span === query.days,
      url: `/status/statistics/?${queryOf({ ...query, days: span })}`,
    })),
    sentence: statisticsSentence(figures),
    charts: chartsOf(figures).map(({ title, draw, ...chart }) => ({
      title,
      figure: draw({ label: `${title}, day by day; the table below has the same numbers`, times, ...chart }),
    })),
    rows: [...figures].reverse().map(rowOf),
    jsonUrl: `/status/statistics.json?${queryOf(query)}`,
    feed: statisticsFeed(query),
    feedTitle: 'Statistics',
  };
}

/** The address of the feed with the same filter. */
export function statisticsFeed(query: StatisticsQuery): string {
  return `/status/statistics.xml?${queryOf(query)}`;
}

function queryOf({ days, suite, arch }: StatisticsQuery): string {
  const query = new URLSearchParams({ days: String(days) });
  if (suite !== null) query.set('suite', suite);
  if (arch !== null) query.set('arch', arch);
  return query.toString();
}

function rowOf({ day, packages, runs, testSeconds, meanWaitSeconds }: DayFigures) {
  return {
    day,
    packages: packages
      ? [packages.pass + packages.neutral, packages.fail, packages.tmpfail].map(number)
      : ['', '', ''],
    runs: [runs.pass + runs.neutral, runs.fail, runs.tmpfail].map(number),
    hours: number(Math.round(testSeconds / 3_600)),
    wait: meanWaitSeconds === null ? '' : secondsInWords(meanWaitSeconds),
  };
}

/** Days in the feed. */
const FEED_DAYS_MAX = 30;

/** The entries of the feed, the latest first. Today is left out, and so are days without figures. */
export function statisticsEntries(figures: DayFigures[]): FeedEntry[] {
  const over = figures.slice(0, -1).filter(({ packages, runs }) => packages !== null || total(runs) > 0);
  return over
    .slice(-FEED_DAYS_MAX)
    .reverse()
    .map(({ day, packages, runs, testSeconds }) => {
      const hours = number(Math.round(testSeconds / 3_600));
      const inRuns = total(runs) === 1 ? '1 public run' : `${number(total(runs))} public runs`;
      const inHours = `${hours} ${hours === '1' ? 'hour' : 'hours'} of tests: ${countsOf(runs)}.`;
      return {
        path: `/status/statistics/#${day}`,
        title: `${inRuns} ended on ${day}`,
        text: packages === null ? inHours : `${inHours} Packages at its end: ${countsOf(packages)}.`,
        date: new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS),
      };
    });
}

function countsOf(counts: Counts): string {
  const words = VERDICTS_DRAWN.filter((verdict) => verdict !== 'neutral' || counts.neutral > 0);
  return [...words]
    .reverse()
    .map((verdict) => `${number(counts[verdict])} ${verdict}`)
    .join(', ');
}

/** The statistics as JSON. */
export function statisticsObject(figures: DayFigures[], { suite, arch }: DayFilter): StatisticsResource {
  return {
    filter: { suite, arch },
    days: figures.map(({ day, packages, runs, testSeconds, meanWaitSeconds, startedRuns, began }) => ({
      day,
      packages,
      runs,
      test_seconds: testSeconds,
      mean_wait_seconds: meanWaitSeconds,
      started_runs: startedRuns,
      began_within: {
        quarter_hour: began.inQuarter,
        hour: began.inHour,
        six_hours: began.inSixHours,
        day: began.inDay,
      },
    })),
  };
}
