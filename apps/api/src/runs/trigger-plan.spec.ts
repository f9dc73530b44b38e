import type { Requestor, RunOfTrigger } from '@proctor/database';
import { apiConfiguration } from '@test/support/api-configuration';
import { finishedRunRecord, runRecord } from '@test/support/run-record';
import { cancelPlan, refreshPlan, retryPlan, selectedTests } from './trigger-plan';

const configuration = apiConfiguration();
const alice: Requestor = { userId: 1, userName: 'alice', isAdmin: false, keyId: 1 };
const bob: Requestor = { userId: 2, userName: 'bob', isAdmin: false, keyId: 2 };
const root: Requestor = { userId: 3, userName: 'root', isAdmin: true, keyId: 3 };

const none = { reference: null, errorSignature: null };
const finishedRun = (change: Partial<RunOfTrigger> = {}): RunOfTrigger => ({
  ...finishedRunRecord({ suite: 'bookworm', arch: 'amd64' }),
  ...none,
  ...change,
});
const waiting = (change: Partial<RunOfTrigger> = {}): RunOfTrigger => ({
  ...runRecord(),
  ...none,
  ...change,
});
const reasons = ({ refused }: { refused: { reason: string }[] }) => refused.map(({ reason }) => reason);

it('tests are selected by everything that is said', () => {
  const tests = [
    { group: 'regression' as const, run: finishedRun({ runId: 1, errorSignature: 'ab' }) },
    { group: 'regression' as const, run: finishedRun({ runId: 2, arch: 'arm64' }) },
    { group: 'waiting' as const, run: waiting({ runId: 3 }) },
  ];
  const ids = (selection: Parameters<typeof selectedTests>[1]) =>
    selectedTests(tests, selection).map(({ run }) => run.runId);
  expect(ids({})).toEqual([1, 2, 3]);
  expect(ids({ groups: ['regression'] })).toEqual([1, 2]);
  expect(ids({ groups: ['regression'], arch: 'arm64' })).toEqual([2]);
  expect(ids({ signature: 'ab' })).toEqual([1]);
  expect(ids({ runIds: [3, 9] })).toEqual([3]);
  expect(ids({ suite: 'sid' })).toEqual([]);
});

it.each([
  ['a finished public run of another', bob, finishedRun(), []],
  ['a run that waits', alice, waiting(), ['It has not finished.']],
  [
    'a private run of another',
    bob,
    finishedRun({ isPrivate: true }),
    ['Only its requestor and administrators may retry a private run.'],
  ],
  ['a private run of another, for an administrator,', root, finishedRun({ isPrivate: true }), []],
  ['a private run of one’s own', alice, finishedRun({ isPrivate: true }), []],
  [
    'a package that is rejected now',
    alice,
    finishedRun({ package: 'blocked' }),
    ['blocked is on the reject list for bookworm/amd64.'],
  ],
])('whether %s can be retried is known before', (_, requestor, run, refusal) => {
  expect(reasons(retryPlan([run], requestor, configuration))).toEqual(refusal);
});

it.each([
  ['a run of one’s own', alice, waiting(), []],
  ['a run of another key on pages', { ...alice, keyId: 9, isOnPages: true as const }, waiting(), []],
  ['a run of another', bob, waiting(), ['Only its requestor and administrators may cancel it.']],
  ['any run, for an administrator', root, waiting({ isPrivate: true }), []],
  ['a run that has finished', alice, finishedRun(), ['It has finished.']],
])('whether %s can be cancelled is known before', (_, requestor, run, refusal) => {
  expect(reasons(cancelPlan([run], requestor))).toEqual(refusal);
});

it('a new reference is asked for once for each place, and where none is under way', () => {
  const runs = [
    finishedRun({ runId: 1 }),
    finishedRun({ runId: 2 }),
    finishedRun({ runId: 3, arch: 'arm64' }),
    finishedRun({ runId: 4, package: 'secret', isPrivate: true }),
    // Its source is gone, but a reference has none.
    finishedRun({ runId: 5, package: 'sourced', extraAptSources: ['gone'], backend: 'gone' }),
  ];
  const plan = refreshPlan(runs, [null, null, 77, null, null], configuration);
  expect(plan.runs.map(({ runId }) => runId)).toEqual([1, 5]);
  expect(reasons(plan)).toEqual([
    'Another selected run is for the same suite and architecture.',
    'Run 77, a reference, has not finished.',
    'A reference is public, and this run is not.',
  ]);
});
