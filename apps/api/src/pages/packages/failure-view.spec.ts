import { packageStatus } from '@test/support/package-status';
import { finishedRunRecord, runRecord } from '@test/support/run-record';
import { type FailingPlace, failureCards, failureView } from './failure-view';

const at = (runId: number, version: string, day: string) => {
  return { runId, version, date: new Date(`${day}T10:00:00Z`) };
};
const run = finishedRunRecord({
  runId: 12,
  suite: 'sid',
  arch: 'arm64',
  verdict: 'fail',
  message: 'unit failed',
});
const status = packageStatus('hello', {
  lastPass: at(8, '2.10-2', '2026-11-18'),
  failingSince: { ...at(9, '2.10-3', '2026-11-19'), trigger: 'glibc/2.40-4' },
});
const failure = (change: Partial<FailingPlace> = {}): FailingPlace => {
  return { run, status, changedPackages: null, error: null, notes: [], mayBeRetried: true, ...change };
};

it('a card leads to the first failure, the last pass, and what changed between them', () => {
  expect(failureView(failure({ changedPackages: 7 }), [run], [], 'pass')).toMatchObject({
    place: 'sid/arm64',
    historyUrl: '/packages/h/hello/sid/arm64/',
    message: 'unit failed',
    latestUrl: '/packages/h/hello/sid/arm64/12/',
    first: {
      words: '2.10-3 (2026-11-19)',
      url: '/packages/h/hello/sid/arm64/9/',
      trigger: 'glibc/2.40-4',
    },
    lastPass: { words: '2.10-2 (2026-11-18)', url: '/packages/h/hello/sid/arm64/8/' },
    compare: { url: '/compare/8...9', words: '7 package versions differ' },
  });
});

it.each([
  [null, 'What changed'],
  [0, 'No package version differs'],
  [1, '1 package version differs'],
])('a card with %s packages changed says “%s”', (changedPackages, words) => {
  expect(failureView(failure({ changedPackages }), [run], [], 'pass').compare!.words).toBe(words);
});

it('a failure without further data has a card too', () => {
  expect(failureView(failure({ status: undefined }), [run], [], 'pass')).toMatchObject({
    first: null,
    lastPass: null,
    compare: null,
    excerpt: null,
    errorUrl: null,
    elsewhere: [],
  });
});

it('a card says how the package is on the other architectures of its suite, not on other suites', () => {
  const others = [
    finishedRunRecord({ suite: 'sid', arch: 'amd64' }),
    finishedRunRecord({ suite: 'trixie', arch: 'amd64' }),
  ];
  expect(failureView(failure(), [run, ...others], [], 'pass').elsewhere).toEqual([
    { arch: 'amd64', status: 'pass', version: '2.10-3', url: '/packages/h/hello/sid/amd64/' },
  ]);
});

it('a card shows the error with two lines around it, each with its number in the log', () => {
  const lines = ['a', 'b', 'c', 'E: broken', 'e', 'f', 'g'];
  const error = { signature: 'abc', excerpt: { firstLine: 10, errorLine: 13, lines } };
  const { excerpt, errorUrl } = failureView(failure({ error }), [run], [], 'pass');
  expect(errorUrl).toBe('/status/errors/abc');
  expect(excerpt!.logUrl).toBe('/packages/h/hello/sid/arm64/12/log?from=13#L13');
  expect(excerpt!.lines.map(({ number, text, isError }) => [number, text, isError])).toEqual([
    [11, 'b', false],
    [12, 'c', false],
    [13, 'E: broken', true],
    [14, 'e', false],
    [15, 'f', false],
  ]);
});

it('a failure that is tried again already cannot be retried once more', () => {
  const again = runRecord({ runId: 15, suite: 'sid', arch: 'arm64', retryOf: 12 });
  expect(failureView(failure(), [run], [again], 'pass')).toMatchObject({
    retry: { runId: '15', url: '/packages/h/hello/sid/arm64/15/' },
    mayBeRetried: false,
  });
  expect(failureView(failure(), [run], [runRecord()], 'pass')).toMatchObject({
    retry: null,
    mayBeRetried: true,
  });
});

it('the architectures of a suite with the same error share a card, and only the others are named beside it', () => {
  const excerpt = { firstLine: 1, errorLine: 1, lines: ['E: broken'] };
  const runs = [
    ['sid', 'amd64', 'e1'],
    ['sid', 'arm64', 'e1'],
    ['sid', 'armhf', 'e2'],
    ['trixie', 'amd64', 'e1'],
    ['sid', 'i386', null],
    ['sid', 's390x', null],
  ] as const;
  const failures = runs.map(([suite, arch]) => finishedRunRecord({ suite, arch, verdict: 'fail' }));
  const views = runs.map(([, , signature], index) => {
    const error = signature && { signature, excerpt };
    return failureView(failure({ run: failures[index]!, error }), failures, [], 'pass');
  });
  const cards = failureCards(views);
  expect(cards.map(({ places }) => places.map(({ place }) => place))).toEqual([
    ['sid/amd64', 'sid/arm64'],
    ['sid/armhf'],
    ['trixie/amd64'],
    ['sid/i386'],
    ['sid/s390x'],
  ]);
  expect(cards[0]!.elsewhere.map(({ arch }) => arch)).toEqual(['armhf', 'i386', 's390x']);
});
