import {
  canaryTestbed,
  heldAgainst,
  likelyCause,
  whyBlamed,
  whyBlamedInPublic,
  type RecentFailure,
} from './blame';

function failure(runId: number, changes: Partial<RecentFailure> = {}): RecentFailure {
  return {
    runId,
    attempt: 1,
    package: `package${runId}`,
    requestor: 'ada',
    suite: 'trixie',
    backend: 'unshare',
    variant: 'autopkgtest',
    isPrivate: false,
    failedAtMs: 0,
    message: 'the testbed failed',
    isHeld: true,
    hasResultSince: false,
    ...changes,
  };
}

it.each([
  ['the run has not failed yet', [], undefined, 'worker'],
  ['it smells of the testbed', [], 'testbed', 'worker'],
  ['it smells of the machine', [], 'machine', 'worker'],
  ['a file could not be fetched', [], 'archive', 'archive'],
  ['the run ran into a limit', [], 'limit', 'run'],
  ['the run asks for what no worker does', [], 'request', 'run'],
  ['the run has failed here before', ['w1'], undefined, 'worker'],
  ['the run has failed elsewhere before', ['w2'], 'machine', 'run'],
  ['the run has failed here and elsewhere before', ['w1', 'w2'], 'testbed', 'run'],
  ['the run has failed elsewhere, and now a file could not be fetched', ['w2'], 'archive', 'archive'],
] as const)('a failure on a worker is blamed on its cause when %s', (_what, failedOn, trouble, blamed) => {
  expect(likelyCause(failedOn, 'w1', false, trouble)).toBe(blamed);
});

it.each([
  ['testbed', 'run'],
  ['machine', 'run'],
  [undefined, 'run'],
  ['archive', 'archive'],
] as const)('a package that fails where others do not is to blame (%s)', (trouble, blamed) => {
  expect(likelyCause([], 'w1', true, trouble)).toBe(blamed);
});

describe('failures that count', () => {
  const idsAgainst = (failures: RecentFailure[]) => heldAgainst(failures).map(({ runId }) => runId);

  it('the latest failure of each package counts against a worker', () => {
    expect(idsAgainst([failure(1), failure(2), failure(3, { package: 'package1' })])).toEqual([2, 3]);
  });

  it('one death counts once against a worker, however many attempts that took with it', () => {
    expect(idsAgainst([failure(1, { death: 'a' }), failure(2, { death: 'a' }), failure(3)])).toEqual([2, 3]);
  });

  it('a failure that others are blamed for does not count against a worker', () => {
    expect(idsAgainst([failure(1, { isHeld: false }), failure(2)])).toEqual([2]);
  });
});

describe('reasons', () => {
  it('the reason for a judgement names runs and what they ended with', () => {
    expect(whyBlamed([failure(12), failure(15, { message: 'no space left' })], false)).toBe(
      '2 failures here in a row: run 12 (the testbed failed), run 15 (no space left)',
    );
  });

  it('the reason for a judgement has nothing of a private run but its id, and no name of a package', () => {
    const secret = failure(12, { isPrivate: true, package: 'secret', message: 'secret failed' });
    expect(whyBlamed([secret, failure(13, { package: 'hello' })], false)).not.toMatch(/secret|hello/);
    expect(whyBlamed([secret], false)).toBe('an attempt failed here: run 12');
    expect(whyBlamed([secret], true)).toBe('an attempt failed here soon after a canary test passed: run 12');
  });

  it('the reason for a judgement is shown to all users without a number, and with one public run at most', () => {
    const [open, secret] = [failure(12), failure(13, { isPrivate: true })];
    const publicFailure = ', the latest of a public run: run 12 (the testbed failed)';
    expect(whyBlamedInPublic([open], false)).toBe(`attempts failed here in a row${publicFailure}`);
    expect(whyBlamedInPublic([open, secret, secret], false)).toBe(
      `attempts failed here in a row${publicFailure}`,
    );
    expect(whyBlamedInPublic([secret], false)).toBe('attempts failed here in a row');
    expect(whyBlamedInPublic([secret, open], true)).toBe(
      `attempts failed here soon after a canary test passed${publicFailure}`,
    );
  });

  it.each([
    ['the testbed failed: build-dep hello: unmet', 'an attempt failed here: run 13 (the testbed failed)'],
    ['package13 broke it', 'an attempt failed here: run 13'],
  ])(
    'the reason for a judgement quotes no test runner, which may name the package: %s',
    (message, reason) => {
      expect(whyBlamed([failure(13, { message })], false)).toBe(reason);
    },
  );

  it('the reason for a judgement is short, however many failed and however much they said', () => {
    const failures = Array.from({ length: 100 }, (_, index) => failure(index, { message: 'x'.repeat(2000) }));
    expect(whyBlamed(failures, false).length).toBeLessThan(1000);
    expect(whyBlamed(failures, false)).toMatch(/run 99 \(x+…\), 95 more before$/);
  });

  it('the reason for a judgement is well formed where a message is cut', () => {
    expect(whyBlamed([failure(1, { message: '\u{1f600}'.repeat(100) })], false).isWellFormed()).toBe(true);
  });
});

describe('canary testbeds', () => {
  const ready = (suite: string, state = 'ready' as const) => ({ suite, backend: 'unshare', state });
  const request = { testbeds: [ready('sid'), ready('trixie')], variants: ['stub', 'autopkgtest'] };

  it.each([
    ['of the latest failure', [failure(1, { suite: 'sid' }), failure(2)], 'trixie', 'autopkgtest'],
    [
      'of an earlier one that is still offered',
      [failure(1), failure(2, { suite: 'gone' })],
      'trixie',
      'autopkgtest',
    ],
    ['of any, when nothing is known', [], 'sid', 'stub'],
  ])('the testbed of a canary test is that %s', (_what, failures, suite, variant) => {
    expect(canaryTestbed(request, failures)).toEqual({ suite, backend: 'unshare', variant });
  });

  it('the testbed of a canary test is ready', () => {
    const testbeds = [{ suite: 'trixie', backend: 'unshare', state: 'building' as const }];
    expect(canaryTestbed({ testbeds, variants: ['autopkgtest'] }, [failure(1)])).toBeUndefined();
    expect(canaryTestbed({ ...request, variants: [] }, [])).toBeUndefined();
  });
});
