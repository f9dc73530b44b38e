import { TROUBLES, VERDICTS, type Trouble, type Verdict } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import { runEvent } from '@test/support/run-event';
import { finishedRunRecord } from '@test/support/run-record';
import { atOnce } from '../http/slices';
import { eventObject } from '../events/event-object';
import { badge } from '../pages/packages/badge';
import { historyView } from '../pages/packages/history-view';
import { packageView, placeState } from '../pages/packages/package-view';
import { badgeWords } from '../pages/layout/sentence';
import { workerView } from '../pages/machines/worker-view';
import { compareView } from '../pages/runs/compare-view';
import { runSentence } from '../pages/runs/run-sentence';
import { figuresOf, statisticsSentence } from '../pages/status/statistics-view';
import { statusListView } from '../pages/status/status-pages.controller';
import { attemptView, factView } from '../pages/runs/story-view';
import { triageView } from '../pages/runs/run-triage.service';
import { statusFeed } from '../public-data/status-feed';
import { attemptObject } from '../workers/worker-details';
import { resultObject, verdictsOf } from './result-object';
import { triage } from './triage';
import { triggerProgress } from './trigger-groups';

/** Words that say that a package is at fault. */
const BLAMES = /\bfail(?:s|ed|ing|ures?)?\b|never passed|report a bug/i;

const CASES: [Verdict, Trouble | null][] = VERDICTS.flatMap((verdict): [Verdict, Trouble | null][] =>
  verdict === 'tmpfail' ? [null, ...TROUBLES].map((trouble) => [verdict, trouble]) : [[verdict, null]],
);

/** Everything that is said of a run with this outcome, of a package that has never passed and fails alike elsewhere. */
function sentences(verdict: Verdict, trouble: Trouble | null) {
  const message = verdict === 'absent' ? 'sid has no source package hello' : 'a message';
  const run = finishedRunRecord({ verdict, trouble, message, trigger: null });
  const result = triage({
    run,
    here: null,
    elsewhere: [],
    reference: null,
    passOfVersion: null,
    lastPass: null,
    changes: null,
    later: null,
    sameError: [],
    withoutInitLine: null,
  });
  const place = { base: 'http://x', bugReportUrl: 'mailto:x?subject={subject}&body={body}', errorLine: null };
  const { heading, button } = triageView(run, result, null, place);
  const address = { service: 'Proctor', base: 'http://x', feedPath: '/feed', pagePath: '/page' };
  const feed = /<title type="html"><!\[CDATA\[(.*?)\]\]>/.exec(
    statusFeed('Tests', address, [run], 'pass'),
  )?.[1];
  return {
    sentence: runSentence(run, 'pass'),
    feed,
    heading,
    conclusion: result.conclusion,
    step: result.step.kind,
    button,
  };
}

/** What pages show of a run that ended so, without the triage. */
function wordsOfPages(verdict: Verdict, trouble: Trouble | null): Record<string, unknown> {
  const run: RunRecord = finishedRunRecord({ verdict, trouble, message: 'a message', trigger: 'hello/2' });
  const attempt = { ...run, worker: 'w1', outcome: 'finished' as const, reason: null, endedAt: new Date(0) };
  const place = { ...run, prefix: 'h' };
  const historyData = { place, runs: [run], last: null, removed: [], latest: null, unfinished: [] };
  const history = historyView(
    { ...historyData, doneInMs: null, status: undefined },
    { status: '', trigger: '', pinned: '', before: null },
    [],
    { neutral: 'pass', packageLinks: [] },
  );
  const worker = workerView({
    name: 'w1',
    registered: null,
    offers: [],
    silent_architectures: [],
    idle_reasons: [],
    running: [],
    attempts: [attemptObject(attempt, 'pass')],
    comparison: null,
  });
  const fact = { factId: 1, runId: 7, arch: 'amd64', suite: 'sid', kind: 'finished' as const, verdict };
  const story = { ...fact, state: 'finished' as const, attempt: 1, actor: 'worker w1', reason: null, at: '' };
  const comparison = { a: run, b: run, settings: [], packages: null, withoutList: [] };
  const { a } = compareView(comparison, 'pass');
  const row = history.runs[0]!;
  return {
    history: [row.status, row.word],
    comparison: [a.status, a.word],
    attempts: worker.attempts.map(({ status, shape }) => [status, shape]),
    strip: worker.strip,
    story: factView(story, 'pass').what,
    attempt: attemptView({ ...attempt, grantedAt: new Date(0) } as never, run, 'pass').how,
    group: atOnce(triggerProgress([{ ...run, reference: null, errorSignature: null }], [])).tests[0]!.group,
  };
}

/** What is said of a package whose newest run could not be executed. */
function saidOfPackage(trouble: Trouble | null): Record<string, unknown> {
  const run = finishedRunRecord({ verdict: 'tmpfail', trouble, message: 'a message' });
  const record = { ...run, previousStatus: 'pass' as const, lastPass: null };
  const page = packageView(
    { name: 'hello', latest: [run], statuses: [], unfinished: [], absent: [] },
    { failures: [], doneInMs: null, missing: [] },
    { suites: [run.suite], architectures: [run.arch], neutral: 'pass', packageLinks: [] },
  );
  const place = { suite: run.suite, arch: run.arch };
  const counts = { total: 1, pass: 0, fail: 0, tmpfail: 1, neutral: 0 };
  const list = { ...place, words: [], word: null, after: '', counts };
  const listed = statusListView(list, { rows: [record], last: null }, 'pass', [record]);
  return {
    sentence: page.sentence,
    cells: page.rows,
    failing: page.moreFailing,
    badge: badge(badgeWords([placeState(run, undefined, 'pass')])),
    listed: [listed.packages, listed.names],
    result: resultObject(run, 'pass'),
  };
}

describe('who is blamed', () => {
  it.each(CASES.filter(([verdict]) => verdict === 'tmpfail' || verdict === 'absent'))(
    'no sentence blames the package for the verdict %s with the trouble %s',
    (verdict, trouble) => {
      const { sentence, feed, heading, conclusion, step, button } = sentences(verdict, trouble);
      expect(
        [sentence, feed, heading, conclusion, button?.label ?? ''].filter((text) =>
          BLAMES.test(text ?? 'fail'),
        ),
      ).toEqual([]);
      expect(step).not.toBe('report');
    },
  );

  it.each(CASES.filter(([verdict]) => verdict === 'tmpfail' || verdict === 'absent'))(
    'no page shows a run with the verdict %s and the trouble %s as a failure',
    (verdict, trouble) => {
      const blaming = Object.entries(wordsOfPages(verdict, trouble)).filter(([, text]) =>
        BLAMES.test(JSON.stringify(text)),
      );
      expect(blaming).toEqual([]);
    },
  );

  it.each([null, ...TROUBLES])('a package that could not be tested is not said to fail: %s', (trouble) => {
    const blaming = Object.entries(saidOfPackage(trouble)).filter(([, text]) =>
      BLAMES.test(JSON.stringify(text)),
    );
    expect(blaming).toEqual([]);
  });

  it('each page shows a failure as one', () => {
    const { group, strip, ...pages } = wordsOfPages('fail', null);
    expect([group, JSON.stringify(strip)]).toEqual(['unknown', expect.stringContaining('"fail"')]);
    expect(Object.values(pages).every((text) => BLAMES.test(JSON.stringify(text)))).toBe(true);
  });

  it('an event says that there was no such package, and a filter for failures does not let it through', () => {
    const event = runEvent({ kind: 'finished', state: 'finished', verdict: 'absent' });
    expect(eventObject(event, 'pass')).toMatchObject({ verdict: 'absent' });
    expect(['pass', 'fail', 'tmpfail', 'absent'].map((word) => verdictsOf(word, 'pass'))).toEqual([
      ['pass', 'neutral'],
      ['fail'],
      ['tmpfail'],
      ['absent'],
    ]);
  });

  it('the figures count what could not be tested as no failure', () => {
    const day = '2026-11-20';
    const none = { timedRuns: 0, testSeconds: 0, startedRuns: 0, waitSeconds: 0 };
    const began = { beganInQuarter: 0, beganInHour: 0, beganInSixHours: 0, beganInDay: 0 };
    const runs = [{ day, verdict: 'tmpfail' as const, runs: 2, ...none, ...began }];
    const packages = [{ day, pass: 3, neutral: 0, fail: 0, tmpfail: 2 }];
    const figures = figuresOf(runs, packages, { days: 1, today: day }, 'pass');
    expect(statisticsSentence(figures)).toMatch(/^0 of 5 packages .* fail now, and 2 could not be tested\. /);
    expect(figures[0]!.runs.fail).toBe(0);
  });

  it('each says so of a package that fails', () => {
    const { sentence, feed, heading, step, button } = sentences('fail', null);
    expect([sentence, feed, heading].every((text) => /fail/i.test(text ?? ''))).toBe(true);
    expect([step, button?.label]).toEqual(['report', 'Report a bug in hello']);
  });

  it.each([
    ['absent', null],
    ['tmpfail', 'request'],
  ] as const)(
    'a run that another attempt would not change is not to be tried again: %s, %s',
    (verdict, trouble) => {
      expect(sentences(verdict, trouble).step).toBe('nothing');
    },
  );
});
