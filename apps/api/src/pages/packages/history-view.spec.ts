import { finishedRunRecord, runRecord } from '@test/support/run-record';
import { runPath } from '../../runs/page-paths';
import { durationChart } from './history-view';
import { historyView } from './history-view';
import type { HistoryPageQuery, HistoryData } from './history-view';

const place = { prefix: 'h', package: 'hello', suite: 'trixie', arch: 'amd64' };
const historyData = (change: Partial<HistoryData> = {}): HistoryData => ({
  place,
  runs: [],
  last: null,
  removed: [],
  latest: null,
  unfinished: [],
  doneInMs: null,
  status: undefined,
  ...change,
});
const all: HistoryPageQuery = { status: '', trigger: '', pinned: '', before: null };
const view = (change: Partial<HistoryData>, query: Partial<HistoryPageQuery> = {}) =>
  historyView(historyData(change), { ...all, ...query }, ['pass', 'fail'], {
    neutral: 'pass',
    packageLinks: [],
  });

it('the addresses of older runs and of the JSON keep what was asked for', () => {
  const runs = [finishedRunRecord({ runId: 9 }), finishedRunRecord({ runId: 7 })];
  const page = view({ runs, last: 7 }, { status: 'fail', trigger: 'a/1 b', before: 12 });
  expect(page.olderUrl).toBe('/packages/h/hello/trixie/amd64/?status=fail&trigger=a%2F1+b&before=7');
  expect(page.newestUrl).toBe('/packages/h/hello/trixie/amd64/?status=fail&trigger=a%2F1+b');
  expect(page.jsonUrl).toBe(
    '/data/packages/trixie/amd64/h/hello/history.json?status=fail&trigger=a%2F1+b&before=12',
  );
  expect(page.isFiltered && page.isUnindexed).toBe(true);
  expect(view({ runs }).jsonUrl).toBe('/data/packages/trixie/amd64/h/hello/history.json');
  expect(view({ runs }).olderUrl).toBeNull();
  expect(view({ runs }).isUnindexed).toBe(false);
});

it('the sentence of a history names runs under way', () => {
  const latest = finishedRunRecord({ suite: 'trixie', arch: 'amd64' });
  const unfinished = [runRecord({ state: 'running' }), runRecord()];
  expect(view({ latest, unfinished }).sentence).toBe(
    'Passes on trixie/amd64. 1 run is waiting, 1 is running.',
  );
});

it('a row of a history leads to a retry, and says which of its files were removed by which rule', () => {
  const runWithoutLog = finishedRunRecord({ runId: 9, logSize: null, logRemovedBy: 'logs: 180' });
  const { runs } = view({ runs: [runWithoutLog, finishedRunRecord({ runId: 7 })] });
  expect(runs.map(({ retryUrl }) => retryUrl)).toEqual(['/api/v1/retry/9', '/api/v1/retry/7']);
  expect(runs.map(({ removals }) => removals)).toEqual([
    ['The log was removed: logs are kept for 180 days.'],
    [],
  ]);
});

it('durations are drawn from the oldest run to the newest, and never of two runs', () => {
  const runs = [60, 30, 15].map((durationSeconds) => finishedRunRecord({ durationSeconds }));
  expect(durationChart(runs.slice(1), 'pass')).toBeNull();
  const { text } = durationChart(runs, 'pass')!;
  expect(text).toContain('the longest 1\u00a0min');
  const bars = text.matchAll(/<rect class="pass"[^>]* height="(\d+)"\/>/g);
  expect([...bars].map(([, height]) => Number(height))).toEqual([15, 30, 60]);
});

it('each bar of a duration leads to its run', () => {
  const runs = [60, 30, 15].map((durationSeconds) => finishedRunRecord({ durationSeconds }));
  const links = [
    ...durationChart(runs, 'pass')!.text.matchAll(/<a [^>]*href="([^"]+)"[^>]*><title>([^<]+)/g),
  ];
  expect(links.map(([, url, text]) => [url, text])).toEqual(
    [runs[2]!, runs[1]!, runs[0]!].map((run, index) => [
      runPath(run),
      `${run.version}: pass in ${['15\u00a0s', '30\u00a0s', '1\u00a0min'][index]}`,
    ]),
  );
});

it('the months of runs that were removed show how these ended and how long they took', () => {
  const month = { month: '2025-02', timedRuns: 2, testSeconds: 130 };
  const { months } = view({
    removed: [
      { ...month, verdict: 'fail', runs: 2 },
      { ...month, verdict: 'pass', runs: 3, timedRuns: 0, testSeconds: 0 },
      { month: '2025-01', verdict: 'tmpfail', runs: 1, timedRuns: 0, testSeconds: 0 },
    ],
  });
  expect(months).toMatchObject([
    {
      month: '2025-02',
      total: 5,
      pass: 3,
      fail: 2,
      neutral: 0,
      tmpfail: 0,
      took: '1\u00a0min\u00a05\u00a0s',
    },
    { month: '2025-01', total: 1, pass: 0, tmpfail: 1, took: '' },
  ]);
});

it('the sentence of a history in which every run found no such package says so', () => {
  const absent = finishedRunRecord({ verdict: 'absent', message: 'trixie has no source package helo' });
  expect(view({ latest: null, runs: [absent] }).sentence).toBe(
    'Nothing was tested here: trixie has no source package helo.',
  );
});
