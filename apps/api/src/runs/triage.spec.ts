import type { PackageStatus, RunRecord } from '@proctor/database';
import { finishedRunRecord, runRecord } from '@test/support/run-record';
import { bugReportUrl } from '../pages/runs/run-triage.service';
import { triage } from './triage';
import { packagesOf, type TriageFacts } from './triage-evidence';

const DAY_MS = 86_400_000;
const endedAt = new Date('2026-11-20T12:00:00Z');
const before = (days: number): Date => new Date(endedAt.getTime() - days * DAY_MS);

const failedRun = (change: Partial<RunRecord> = {}): RunRecord =>
  finishedRunRecord({
    package: 'hello',
    suite: 'sid',
    arch: 'amd64',
    version: '2',
    verdict: 'fail',
    finishedAt: endedAt,
    ...change,
  });
const passed = (version = '2'): RunRecord =>
  failedRun({ runId: 3, version, verdict: 'pass', finishedAt: before(3) });

function status(arch: string, verdict: 'pass' | 'fail', change: Partial<PackageStatus> = {}): PackageStatus {
  return {
    package: 'hello',
    suite: 'sid',
    arch,
    latest: { runId: 20, version: '2', date: endedAt, verdict },
    previousVerdict: null,
    lastPass: null,
    failingSince: null,
    recovered: null,
    strip: [],
    flakiness: 0.1,
    isFlaky: false,
    durations: null,
    isLonger: false,
    ...change,
  };
}

const reference = (verdict: 'pass' | 'fail', days: number) => {
  return { runId: 9, verdict, version: '1', date: before(days) };
};
const packageChanges = (...names: string[]) => {
  const groups = names.map((name) => {
    const nearness = name.startsWith('named') ? ('named' as const) : ('testbed' as const);
    return { names: [name], source: null, a: '1', b: '2', nearness };
  });
  return { changed: groups, same: [], suites: { a: new Map(), b: new Map() } };
};
const alike = (...names: string[]) => names.map((name) => ({ package: name, runId: 30, runs: 1 }));

const facts = (change: Partial<TriageFacts> = {}): TriageFacts => ({
  run: failedRun(),
  here: status('amd64', 'fail'),
  elsewhere: [],
  reference: null,
  passOfVersion: null,
  withoutInitLine: null,
  lastPass: null,
  changes: null,
  later: null,
  sameError: [],
  ...change,
});
const ofTrigger = failedRun({ trigger: 'glibc/2.41' });

describe('the decision tree of failed tests', () => {
  it.each<[string, Partial<TriageFacts>, string, string]>([
    ['a pass since', { later: passed() }, 'passes-since', 'nothing'],
    ['a failure since and nothing else', { later: failedRun(), lastPass: passed() }, 'unclear', 'retry'],
    ['another try that waits', { later: runRecord() }, 'under-way', 'nothing'],
    [
      'a package that is not in the suite',
      {
        run: failedRun({ verdict: 'absent', message: 'sid has no source package hello' }),
        sameError: alike('a', 'b'),
      },
      'absent',
      'nothing',
    ],
    [
      'a request that cannot be carried out',
      { run: failedRun({ verdict: 'tmpfail', trouble: 'request' }), lastPass: passed('1') },
      'request',
      'nothing',
    ],
    [
      'a tmpfail, whatever the reference says',
      { run: failedRun({ verdict: 'tmpfail', trigger: 'glibc/2.41' }), reference: reference('fail', 1) },
      'infrastructure',
      'retry',
    ],
    [
      'a reference that fails, though the test is flaky',
      { run: ofTrigger, reference: reference('fail', 1), here: status('amd64', 'fail', { isFlaky: true }) },
      'fails-in-reference',
      'nothing',
    ],
    [
      'a flaky test, though there is no reference',
      { run: ofTrigger, here: status('amd64', 'fail', { isFlaky: true }) },
      'flaky',
      'retry',
    ],
    [
      'a pass of the same version with the same packages',
      { passOfVersion: passed(), changes: packageChanges() },
      'flaky',
      'retry',
    ],
    [
      'a pass of the same version on another backend alone',
      {
        run: failedRun({ backend: 'unshare' }),
        passOfVersion: { ...passed(), backend: 'lxc' },
        here: status('amd64', 'fail', { isFlaky: true }),
      },
      'other-testbed',
      'nothing',
    ],
    [
      'a pass of the same version on another backend, and a reference that passed',
      {
        run: { ...ofTrigger, backend: 'unshare' },
        passOfVersion: { ...passed(), backend: 'lxc' },
        reference: reference('pass', 1),
      },
      'trigger',
      'report glibc',
    ],
    [
      'a service that was not started, and no pass on the backend',
      { run: failedRun({ backend: 'unshare' }), withoutInitLine: 142 },
      'other-testbed',
      'nothing',
    ],
    [
      'a service that was not started, and an earlier pass on the backend',
      {
        run: failedRun({ backend: 'unshare' }),
        withoutInitLine: 142,
        lastPass: { ...passed('1'), backend: 'unshare' },
      },
      'own-version',
      'report hello',
    ],
    [
      'a service that a nested testbed has not started',
      { run: failedRun({ backend: 'lxc' }), withoutInitLine: 142 },
      'never-passed',
      'report hello',
    ],
    ['no reference', { run: ofTrigger }, 'no-fresh-reference', 'refresh'],
    [
      'a stale reference that failed',
      { run: ofTrigger, reference: reference('fail', 15) },
      'no-fresh-reference',
      'refresh',
    ],
    [
      'a stale reference that passed',
      { run: ofTrigger, reference: reference('pass', 15) },
      'no-fresh-reference',
      'refresh',
    ],
    [
      'a reference that passed',
      { run: ofTrigger, reference: reference('pass', 14) },
      'trigger',
      'report glibc',
    ],
    [
      'an error of several packages, with a trigger',
      { run: ofTrigger, reference: reference('pass', 1), sameError: alike('a', 'b') },
      'shared-error',
      'report glibc',
    ],
    ['an error of several packages', { sameError: alike('a', 'b') }, 'shared-error', 'nothing'],
    ['an error of one other package', { sameError: alike('a'), lastPass: passed() }, 'unclear', 'retry'],
    [
      'a trigger that is the package itself, and a version before that passed',
      { run: failedRun({ trigger: 'hello/2' }), lastPass: passed('1') },
      'own-version',
      'report hello',
    ],
    [
      'another version of the package than its trigger names',
      { run: failedRun({ trigger: 'hello/3' }), lastPass: passed('4'), elsewhere: [status('arm64', 'pass')] },
      'unclear',
      'retry',
    ],
    [
      'a failure on one architecture of the suite alone',
      {
        elsewhere: [status('arm64', 'pass'), status('arm64', 'fail', { suite: 'trixie' })],
        lastPass: passed('1'),
      },
      'one-architecture',
      'report hello',
    ],
    [
      'a failure on other architectures too',
      { elsewhere: [status('arm64', 'fail')], lastPass: passed('1') },
      'own-version',
      'report hello',
    ],
    [
      'a named package that has changed with others',
      { lastPass: passed(), changes: packageChanges('named-lib', 'bash') },
      'dependency',
      'report named-lib',
    ],
    [
      'one package that has changed',
      { lastPass: passed(), changes: packageChanges('bash') },
      'dependency',
      'report bash',
    ],
    [
      'several that have changed',
      { lastPass: passed(), changes: packageChanges('awk', 'bash') },
      'unclear',
      'retry',
    ],
    ['no pass ever', {}, 'never-passed', 'report hello'],
    [
      'a reference that is tested itself',
      { run: failedRun({ trigger: 'migration-reference/0' }), lastPass: passed() },
      'unclear',
      'retry',
    ],
  ])('with %s it concludes %#', (_, change, kind, step) => {
    const result = triage(facts(change));
    const next = result.step.kind === 'report' ? `report ${result.step.package}` : result.step.kind;
    expect([result.kind, next]).toEqual([kind, step]);
    expect(result.conclusion).toMatch(/^[A-Z\d].*\.$/);
  });

  it('every question is answered, with links to the evidence', () => {
    const { evidence } = triage(
      facts({
        run: ofTrigger,
        elsewhere: [status('arm64', 'fail'), status('amd64', 'fail', { suite: 'trixie' })],
        reference: reference('pass', 20),
        passOfVersion: passed(),
        lastPass: passed(),
        changes: packageChanges('bash'),
        sameError: alike('figlet'),
      }),
    );
    expect(
      evidence.map(({ question, answer, links }) => [question, answer, links.map(({ path }) => path)]),
    ).toEqual([
      ['Did it run to the end?', 'Yes.', []],
      ['Does it fail elsewhere too?', 'Yes, on 2 of 2.', ['/runs/20', '/runs/20']],
      ['Does the reference fail?', 'No: it passed with 1 on 2026-10-31, too long before.', ['/runs/9']],
      ['Has 2 passed here before?', 'Yes, on 2026-11-17.', ['/runs/3']],
      ['Is it flaky?', 'No: 10 % of its last runs changed between pass and fail within a version.', []],
      ['What has changed since it last passed?', '1 package version: bash 1 → 2.', ['/compare/3...7']],
      ['Do other packages fail with the same error?', 'Yes, 1 other package.', ['/runs/30']],
    ]);
  });
});

it.each([
  [1, '1 other package'],
  [19, '19 other packages'],
  [20, 'at least 20 other packages'],
])('%i packages that fail alike, when at most 20 are read, are "%s"', (count, text) => {
  expect(packagesOf(alike(...Array.from({ length: count }, (_none, place) => `p${place}`)))).toBe(text);
});

it('a bug report is begun with the package, where it fails and why, safe in an address', () => {
  const conclusion = 'Version 1 passed, 2 fails.';
  const url = bugReportUrl(
    'mailto:bugs@example.org?subject={subject}&body={body}',
    'hello',
    failedRun(),
    { conclusion },
    'https://ci.example/runs/7',
    'E: "a" & <b>',
  );
  const [address, query = ''] = url.split('?');
  expect(address).toBe('mailto:bugs@example.org');
  const fields = new URLSearchParams(query);
  expect(fields.get('subject')).toBe('hello: autopkgtest fails on sid/amd64');
  expect(fields.get('body')).toBe(
    `Source: hello\nVersion: 2\n\nThe autopkgtest of hello 2 fails on sid/amd64. ${conclusion}\n\nhttps://ci.example/runs/7\n\n  E: "a" & <b>`,
  );
  const other = bugReportUrl(
    'https://bugs.example/{package}?s={subject}',
    'g++',
    failedRun(),
    { conclusion },
    '',
    null,
  );
  expect(other).toContain('https://bugs.example/g%2B%2B?s=g%2B%2B%3A%20makes');
});
