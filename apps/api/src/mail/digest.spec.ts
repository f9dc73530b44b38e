import type { PlaceChange } from '@proctor/database';
import { changeOf, digestOf } from './digest';

const place = (fields: Partial<PlaceChange> = {}): PlaceChange => ({
  runId: 7,
  package: 'hello',
  suite: 'sid',
  arch: 'amd64',
  version: '2-1',
  verdict: 'fail',
  errorSignature: 'a',
  verdictBefore: 'pass',
  errorSignatureBefore: null,
  ...fields,
});

it.each([
  ['a failure after a pass', {}, 'began'],
  ['a failure without an earlier result', { verdictBefore: null }, 'began'],
  ['a failure after a neutral result', { verdictBefore: 'neutral' }, 'began'],
  ['the same failure again', { verdictBefore: 'fail', errorSignatureBefore: 'a' }, null],
  ['another failure', { verdictBefore: 'fail', errorSignatureBefore: 'b' }, 'differently'],
  ['a failure with an error after one without', { verdictBefore: 'fail' }, 'differently'],
  ['failures without errors', { verdictBefore: 'fail', errorSignature: null }, null],
  ['a pass after a failure', { verdict: 'pass', verdictBefore: 'fail' }, 'again'],
  ['a neutral result after a failure', { verdict: 'neutral', verdictBefore: 'fail' }, 'again'],
  ['a pass after a pass', { verdict: 'pass' }, null],
] as const)('%s is that change', (_, fields, change) => {
  expect(changeOf(place(fields))).toBe(change);
});

it('a mail has triggers, runs, and one entry for the same change of a package on several places', () => {
  const run = { runId: 3, package: 'sed', suite: 'sid', arch: 'amd64', cancelled: false } as const;
  const entries = digestOf(
    {
      until: new Date(0),
      triggers: ['glibc/2.42-3'],
      runs: [
        { ...run, verdict: 'fail' },
        { ...run, runId: 4, verdict: 'tmpfail', cancelled: true },
      ],
      places: [
        place(),
        place({ arch: 'arm64', runId: 8 }),
        place({ arch: 'i386', runId: 9, errorSignature: 'b' }),
        place({ arch: 's390x', verdictBefore: 'fail', errorSignatureBefore: 'a' }),
        place({ package: 'sed', verdict: 'pass', verdictBefore: 'fail', runId: 10 }),
      ],
    },
    new Map([
      [3, 'E: sed'],
      [7, 'E: hello'],
      [10, 'E: no error of a run that passed'],
    ]),
  );
  expect(entries).toEqual([
    { text: 'All tests of glibc/2.42-3 have ended', errorLine: null, path: '/triggers/glibc/2.42-3' },
    { text: 'Run 3 of sed on sid/amd64 has ended: fail', errorLine: 'E: sed', path: '/runs/3' },
    { text: 'Run 4 of sed on sid/amd64 was cancelled', errorLine: null, path: '/runs/4' },
    {
      text: 'hello 2-1 began to fail on sid/amd64, sid/arm64',
      errorLine: 'E: hello',
      path: '/packages/h/hello/',
    },
    { text: 'hello 2-1 began to fail on sid/i386', errorLine: null, path: '/runs/9' },
    { text: 'sed 2-1 passes again on sid/amd64', errorLine: null, path: '/runs/10' },
  ]);
});
