import { finishedRunRecord, runRecord } from '@test/support/run-record';
import { resultObject, statusOf } from './result-object';

it('a result has every key while the run waits, null where nothing is known', () => {
  expect(resultObject(runRecord(), 'pass')).toEqual({
    trigger: null,
    package: 'hello',
    arch: 'amd64',
    suite: 'bookworm',
    version: null,
    status: null,
    run_id: 7,
    is_private: false,
    extra_apt_sources: [],
    updated_at: '2026-11-20T10:00:00.100Z',
    date: null,
    duration_seconds: null,
    created_at: '2026-11-20T10:00:00.100Z',
    backend: 'unshare',
    autopkgtest: 'autopkgtest',
    pin_packages: [],
    priority: 5,
    message: null,
    exit_code: null,
    worker: null,
    attempt: 0,
    state: 'queued',
    verdict: null,
    trouble: null,
    superseded_by: null,
    log_url: null,
    artifacts_url: null,
    page_url: '/runs/7',
  });
});

it('a result has the outcome once the run is finished', () => {
  expect(resultObject(finishedRunRecord({ package: 'libfoo' }), 'pass')).toMatchObject({
    version: '2.10-3',
    status: 'pass',
    updated_at: '2026-11-20T10:01:00.000Z',
    date: '2026-11-20T10:01:00.000Z',
    duration_seconds: 30,
    message: 'All tests passed',
    exit_code: 0,
    worker: 'worker-1',
    attempt: 2,
    log_url: '/data/autopkgtest/bookworm/amd64/libf/libfoo/7/log.gz',
    artifacts_url: '/data/autopkgtest/bookworm/amd64/libf/libfoo/7/artifacts.tar.gz',
    page_url: '/runs/7',
  });
});

it('a result keeps the outcome of an earlier attempt back while the run goes on', () => {
  const run = finishedRunRecord({ state: 'running', finishedAt: null });
  expect(resultObject(run, 'pass')).toMatchObject({
    status: null,
    version: null,
    date: null,
    log_url: null,
  });
});

it('a result names the address of a file that is there, also to the key of a private run', () => {
  const { log_url, artifacts_url } = resultObject(finishedRunRecord({ isPrivate: true }), 'pass');
  expect([log_url, artifacts_url]).toEqual([
    '/data/autopkgtest/bookworm/amd64/h/hello/7/log.gz',
    '/data/autopkgtest/bookworm/amd64/h/hello/7/artifacts.tar.gz',
  ]);
  expect(resultObject(finishedRunRecord({ artifactsSize: null }), 'pass').artifacts_url).toBeNull();
});

it('a result says in a field of its own that the package is not in the suite', () => {
  const message = 'bookworm has no source package hello';
  const run = finishedRunRecord({ verdict: 'absent', version: 'n/a', message });
  expect(resultObject(run, 'pass')).toMatchObject({
    status: 'fail',
    verdict: 'absent',
    message,
    version: 'n/a',
  });
});

it('a result says n/a for an unknown version', () => {
  expect(resultObject(finishedRunRecord({ verdict: 'tmpfail', version: null }), 'pass').version).toBe('n/a');
});

it.each([
  [null, 'pass', null],
  ['pass', 'pass', 'pass'],
  ['fail', 'pass', 'fail'],
  ['tmpfail', 'pass', 'tmpfail'],
  ['neutral', 'pass', 'pass'],
  ['neutral', 'neutral', 'neutral'],
  ['absent', 'pass', 'fail'],
] as const)('the verdict %s, with neutral as %s, is worded as %s', (verdict, neutral, status) => {
  expect(statusOf(verdict, neutral)).toBe(status);
});
