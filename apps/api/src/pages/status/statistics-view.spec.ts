import type { PackagesOfDay, RunsOfDay } from '@proctor/database';
import {
  figuresOf,
  statisticsEntries,
  statisticsObject,
  statisticsSentence,
  statisticsView,
} from './statistics-view';

const TODAY = '2026-11-20';
const query = { suite: null, arch: null, days: 30 as const };

function runsOfDay(day: string, verdict: RunsOfDay['verdict'], runs: number): RunsOfDay {
  return {
    day,
    verdict,
    runs,
    timedRuns: runs,
    testSeconds: 1_800 * runs,
    startedRuns: runs,
    waitSeconds: 600 * runs,
    beganInQuarter: 1,
    beganInHour: runs,
    beganInSixHours: runs,
    beganInDay: runs,
  };
}
const packages = (day: string, fail: number): PackagesOfDay => {
  return { day, pass: 90 - fail, neutral: 8, fail, tmpfail: 2 };
};

const RUNS = [
  runsOfDay('2026-11-19', 'pass', 10),
  runsOfDay('2026-11-19', 'neutral', 2),
  runsOfDay(TODAY, 'tmpfail', 4),
];
const figures = figuresOf(
  RUNS,
  [packages('2026-11-18', 5), packages(TODAY, 7)],
  { days: 30, today: TODAY },
  'pass',
);

it('the figures of each day are added up, a day without any is there too', () => {
  expect(figures.map(({ day }) => day)).toHaveLength(30);
  expect(figures[0]).toMatchObject({ day: '2026-10-22', packages: null, meanWaitSeconds: null });
  expect(figures.at(-2)).toMatchObject({
    packages: null,
    runs: { pass: 12, neutral: 0, fail: 0, tmpfail: 0 },
    testSeconds: 21_600,
    meanWaitSeconds: 600,
    began: { inQuarter: 2, inHour: 12 },
  });
  expect(figuresOf(RUNS, [], { days: 2, today: TODAY }, 'neutral')[0]!.runs).toMatchObject({
    pass: 10,
    neutral: 2,
  });
});

it('the figures are said in a sentence', () => {
  expect(statisticsSentence(figures)).toBe(
    '7 of 100 packages on suites and architectures fail now, and 2 could not be tested. ' +
      '16 public runs finished in 30 days, with 8 hours of tests. 25 % of them ended as tmpfail.',
  );
  expect(statisticsSentence(figuresOf([], [], { days: 30, today: TODAY }, 'pass'))).toBe(
    'No public run finished in these 30 days.',
  );
});

it('the figures are drawn and listed day by day, the newest first', () => {
  const { charts, rows } = statisticsView(figures, query);
  for (const { figure } of charts) {
    expect(figure.text).toMatch(/<svg class="figure" viewBox="0 0 720 200" role="group" aria-label="[^"]+">/);
    expect(figure.text).not.toMatch(/NaN|undefined|style=/);
  }
  const legends = charts.map(({ figure }) => [...figure.text.matchAll(/<\/svg> ([^<]+)<\/li>/g)]);
  expect(legends.map((entries) => entries.map(([, name]) => name))).toEqual([
    ['fail', 'tmpfail', 'not counted'],
    ['tmpfail', 'pass', 'no run finished'],
    ['within 1\u00a0d', 'within 6\u00a0h', 'within 1\u00a0h', 'within 15\u00a0min', 'no run began'],
    ['of tests', 'no run finished'],
  ]);
  expect(rows[0]).toEqual({
    day: TODAY,
    packages: ['91', '7', '2'],
    runs: ['0', '0', '4'],
    hours: '2',
    wait: '10\u00a0min',
  });
  expect(statisticsObject(figures, query).days.at(-1)).toMatchObject({
    day: TODAY,
    began_within: { hour: 4 },
  });
});

it('each day of a chart has its values as a text, also without any', () => {
  const { charts } = statisticsView(figures, query);
  const texts = charts.map(({ figure }) => [...figure.text.matchAll(/<title>([^<]+)<\/title>/g)]);
  expect(texts.map((days) => days.slice(-2).map(([, text]) => text))).toEqual([
    ['2026-11-19: not counted', '2026-11-20: 7 fail, 2 tmpfail'],
    ['2026-11-19: 0 tmpfail, 12 pass', '2026-11-20: 4 tmpfail, 0 pass'],
    [
      '2026-11-19: 100 % within 1\u00a0d, 100 % within 6\u00a0h, 100 % within 1\u00a0h, 16.7 % within 15\u00a0min',
      '2026-11-20: 100 % within 1\u00a0d, 100 % within 6\u00a0h, 100 % within 1\u00a0h, 25 % within 15\u00a0min',
    ],
    ['2026-11-19: 6 h of tests', '2026-11-20: 2 h of tests'],
  ]);
  const [figure] = charts.map(({ figure: each }) => each.text);
  expect(figure).toContain('<figcaption>2026-11-20: 7 fail, 2 tmpfail</figcaption>');
  expect([...figure!.matchAll(/tabindex="0"/g)]).toHaveLength(1);
});

it('the feed of the figures has the days that are over, when they are', () => {
  expect(statisticsEntries(figures)).toEqual([
    {
      path: '/status/statistics/#2026-11-19',
      title: '12 public runs ended on 2026-11-19',
      text: '6 hours of tests: 12 pass, 0 tmpfail, 0 fail.',
      date: new Date('2026-11-20T00:00:00Z'),
    },
    {
      path: '/status/statistics/#2026-11-18',
      title: '0 public runs ended on 2026-11-18',
      text: '0 hours of tests: 0 pass, 0 tmpfail, 0 fail. Packages at its end: 93 pass, 2 tmpfail, 5 fail.',
      date: new Date('2026-11-19T00:00:00Z'),
    },
  ]);
});

it('nothing to draw is drawn as nothing', () => {
  const { charts } = statisticsView(figuresOf([], [], { days: 365, today: TODAY }, 'pass'), query);
  for (const { figure } of charts) expect(figure.text).not.toMatch(/NaN|undefined/);
});
