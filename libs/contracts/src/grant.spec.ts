import { isSameGrant, type Grant } from './grant';
import { isOnSubject, logSubject, reportOrigin, reportSubject, stagedGrant, stagingName } from './subjects';

const GRANT: Grant = { runId: 42, attempt: 2, grantEpoch: 1_764_633_600_000 };
const OF_EARLIER_VERSION: Grant = { runId: 42, attempt: 2 };

it('grants differ in run, attempt and epoch, as far as both know the epoch', () => {
  expect(isSameGrant(GRANT, { ...GRANT })).toBe(true);
  expect(isSameGrant(GRANT, { ...GRANT, runId: 43 })).toBe(false);
  expect(isSameGrant(GRANT, { ...GRANT, attempt: 1 })).toBe(false);
  expect(isSameGrant(GRANT, { ...GRANT, grantEpoch: 7 })).toBe(false);
  expect(isSameGrant(GRANT, OF_EARLIER_VERSION)).toBe(true);
  expect(isSameGrant(OF_EARLIER_VERSION, GRANT)).toBe(true);
  expect(isSameGrant(OF_EARLIER_VERSION, { ...GRANT, attempt: 1 })).toBe(false);
});

it('subjects and file names are of one grant alone, and say which', () => {
  const report = { worker: 'w1', ...GRANT };
  expect(reportSubject('amd64', 'finished', report)).toBe(
    'proctor.report.amd64.w1.finished.42.2.1764633600000',
  );
  expect(reportOrigin(reportSubject('amd64', 'finished', report))).toEqual({
    arch: 'amd64',
    kind: 'finished',
    ...report,
  });
  expect(logSubject('w1', GRANT)).toBe('proctor.log.w1.42.2.1764633600000');
  expect(stagingName(GRANT, 'log.gz')).toBe('42/2/1764633600000/log.gz');
  expect(stagedGrant('42/2/1764633600000/log.gz')).toEqual(GRANT);
});

it('subjects and file names of an earlier version are understood', () => {
  const origin = { arch: 'amd64', worker: 'w1', kind: 'started', ...OF_EARLIER_VERSION };
  expect(reportOrigin('proctor.report.amd64.w1.started.42.2')).toEqual(origin);
  expect(reportSubject('amd64', 'started', origin)).toBe('proctor.report.amd64.w1.started.42.2');
  expect(stagedGrant('42/2/log.gz')).toEqual(OF_EARLIER_VERSION);
});

it.each(['42/log.gz', 'a/2/log.gz', 'log.gz'])('%s is the file of no grant', (name) => {
  expect(stagedGrant(name)).toBeNull();
});

it.each([
  ['proctor.report.*.*.started.>', 'proctor.report.amd64.w1.started.42.2', true],
  ['proctor.report.*.*.started.>', 'proctor.report.amd64.w1.started.42.2.7', true],
  ['proctor.report.*.*.started.>', 'proctor.report.amd64.w1.started', false],
  ['proctor.report.*.*.started.>', 'proctor.report.amd64.w1.finished.42.2.7', false],
  ['proctor.report.>', 'proctor.report.amd64.w1.odd', true],
  ['proctor.report.>', 'proctor.rpc.amd64.w1.odd', false],
])('a pattern with a > at its end stands for all that follows: %s and %s, %s', (pattern, subject, fits) => {
  expect(isOnSubject(pattern, subject)).toBe(fits);
});
