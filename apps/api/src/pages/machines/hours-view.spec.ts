import type { ArchitectureHour, MachineHour } from '@proctor/database';
import { firstHour, hourObject, hoursFilter, queueHoursView, workerHoursView } from './hours-view';

const NOW = new Date('2026-11-20T15:30:00Z');
const FIRST = new Date('2026-11-20T13:00:00Z');

const figure = (hour: string, change: Partial<ArchitectureHour> = {}): ArchitectureHour => ({
  hour: new Date(`2026-11-20T${hour}:00Z`),
  arch: 'amd64',
  arrived: 9,
  pass: 3,
  neutral: 1,
  fail: 2,
  tmpfail: 1,
  busySeconds: 5_400,
  waiting: 20,
  oldestSeconds: 5_400,
  slots: 4,
  ...change,
});

const pointsOf = ({ charts }: ReturnType<typeof queueHoursView>): Record<string, string[]> =>
  Object.fromEntries(
    charts.map(({ title, figure: { text } }) => [
      title,
      [...text.matchAll(/<title>2026-11-20 ([^<]+)<\/title>/g)].map(([, point]) => point!),
    ]),
  );

it('the days begin so that the present hour is the last one', () => {
  expect(firstHour(NOW, 1)).toEqual(new Date('2026-11-19T16:00:00Z'));
});

it('the figures of queues are drawn hour by hour, and an hour that no scheduler saw is a gap', () => {
  const hours = [figure('13:00'), figure('15:00', { busySeconds: 3_600 })];
  const view = queueHoursView(hours, FIRST, NOW);
  const gap = '14:00 UTC: no figures: the hour is not over, or no scheduler was at work';
  expect(pointsOf(view)).toEqual({
    'Waiting runs': ['13:00 UTC: 20 waiting', gap, '15:00 UTC: 20 waiting'],
    'Longest wait': ['13:00 UTC: 1.5 h waited', gap, '15:00 UTC: 1.5 h waited'],
    'Runs that arrived and ended': ['13:00 UTC: 9 arrived, 7 ended', gap, '15:00 UTC: 9 arrived, 7 ended'],
    'How runs ended': ['13:00 UTC: 2 fail, 1 tmpfail, 4 pass', gap, '15:00 UTC: 2 fail, 1 tmpfail, 4 pass'],
    'Busy slots': ['13:00 UTC: 1.5 busy on average, 4 slots', gap, '15:00 UTC: 4 slots'],
  });
  expect(
    view.rows.map(({ time, longestWait, busySlots, waiting }) => [time, longestWait, busySlots, waiting]),
  ).toEqual([
    ['2026-11-20 15:00 UTC', '1\u00a0h\u00a030\u00a0min', undefined, 20],
    ['2026-11-20 14:00 UTC', null, undefined, null],
    ['2026-11-20 13:00 UTC', '1\u00a0h\u00a030\u00a0min', '1.5', 20],
  ]);
});

it('architectures are added up, but their slots are not', () => {
  const unseen = { waiting: null, oldestSeconds: null, slots: null };
  const hours = [figure('13:00'), figure('13:00', { arch: 'arm64', ...unseen }), figure('14:00', unseen)];
  const points = pointsOf(queueHoursView(hours, FIRST, NOW));
  expect(points['Waiting runs']!.slice(0, 2)).toEqual([
    '13:00 UTC: 20 waiting',
    '14:00 UTC: no figures: the hour is not over, or no scheduler was at work',
  ]);
  expect(points['Runs that arrived and ended']![0]).toBe('13:00 UTC: 18 arrived, 14 ended');
  expect(points['Busy slots']![0]).toBe('13:00 UTC: 3 busy on average');
});

it('an hour in which a worker ended nothing has zeros', () => {
  const hours = [{ hour: FIRST, pass: 2, neutral: 1, fail: 0, tmpfail: 1, busySeconds: 1_800 }];
  expect(workerHoursView(hours, [], FIRST, NOW).rows).toMatchObject([
    { pass: 0, busySlots: undefined },
    { pass: 0, busySlots: '0.0' },
    { pass: 3, fail: 0, tmpfail: 1, busySlots: '0.5' },
  ]);
});

it('the machine of a worker has charts of its load and its disk once a scheduler has seen it', () => {
  const titles = (machineHours: MachineHour[]) =>
    workerHoursView([], machineHours, FIRST, NOW).charts.map(({ title }) => title);
  expect(titles([])).toEqual(['How attempts ended', 'Busy slots']);
  const machineHours = [{ hour: FIRST, loadPercent: 130, freeDiskMib: 2_048 }];
  expect(titles(machineHours).slice(2)).toEqual(['Highest load', 'Least free disk']);
  const { rows, charts } = workerHoursView([], machineHours, FIRST, NOW);
  expect(rows.at(-1)).toMatchObject({ loadPercent: 130, freeDiskMib: 2_048 });
  expect(rows[0]).toMatchObject({ loadPercent: null, freeDiskMib: null });
  expect(charts.map(({ figure }) => figure.text).join()).toContain('2 GiB free');
});

it('each choice of days, suite and architecture has an address', () => {
  const { place, spans, hoursUrl, isUnindexed } = hoursFilter({ days: 3, suite: 'sid', arch: 'amd64' });
  expect(place).toBe('sid/amd64');
  expect(hoursUrl).toBe('/status/queue/hours.json?days=3&suite=sid&arch=amd64');
  expect(spans[0]).toEqual({
    span: 1,
    isHere: false,
    url: '/status/queue/?days=1&suite=sid&arch=amd64',
  });
  expect(isUnindexed).toBe(true);
  expect(hoursFilter({ days: 3, suite: null, arch: null })).toMatchObject({
    place: null,
    isUnindexed: false,
  });
});

it('neutral runs are those that passed, unless the deployment says so', () => {
  expect(hourObject(figure('13:00'), 'pass').runs).toEqual({ pass: 4, neutral: 0, fail: 2, tmpfail: 1 });
  expect(hourObject(figure('13:00'), 'neutral')).toMatchObject({
    hour: '2026-11-20T13:00:00.000Z',
    runs: { pass: 3, neutral: 1 },
  });
});
