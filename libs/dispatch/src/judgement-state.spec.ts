import { restoreJudgementState, soundAt, type JudgementState } from './judgement-state';

const CANARY = {
  test: { canary: '7.1', arch: 'amd64', suite: 'trixie', backend: 'unshare', variant: null },
  slot: { worker: 'w1', incarnation: '00000000-0000-4000-8000-000000000001', slot: 0 },
  askedAtMs: 10,
} as unknown as NonNullable<JudgementState['canary']>;
const LOST_SINCE_MS = 20;
const rows = { lostSinceMs: LOST_SINCE_MS, isUnfounded: () => false, isGranted: () => true };

const slowed = (reason: string, publicReason: string): JudgementState => ({
  ...soundAt(0),
  standing: 'slowed',
  reason,
  publicReason,
});
const before: JudgementState = {
  ...slowed('run 1 failed', 'a run failed'),
  canaryEnded: CANARY,
  canaryEndedMs: LOST_SINCE_MS,
};

describe('a standing that is read again', () => {
  it('keeps the public reason that memory has while the row has the same reason', () => {
    const state = restoreJudgementState(before, slowed('run 1 failed', 'run 1 failed'), rows);
    expect(state).toMatchObject({ reason: 'run 1 failed', publicReason: 'a run failed', canary: null });
  });

  it('has both reasons from the row when the row has another one, and its canary test is awaited again', () => {
    const state = restoreJudgementState(before, slowed('run 2 failed', 'another run failed'), rows);
    expect(state).toMatchObject({ reason: 'run 2 failed', publicReason: 'another run failed' });
    expect(state.canary).toBe(CANARY);
  });

  it('does not wait again for a canary test that ended before the lost turn', () => {
    const state = restoreJudgementState(
      { ...before, canaryEndedMs: LOST_SINCE_MS - 1 },
      slowed('run 2 failed', 'another run failed'),
      rows,
    );
    expect(state.canary).toBeNull();
  });
});
