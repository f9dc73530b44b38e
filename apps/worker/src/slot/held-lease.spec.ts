import { grant, leaseOf, makeSlot } from '@test/support/slot-rig';
import { UnsafeRequest } from '../autopkgtest/unsafe-request';
import { Unusable } from '../sandbox/unusable';
import { ArchiveAway, NotStarted } from './ports';

it('a held lease is renewed until the result is recorded, whatever becomes of the answers', async () => {
  const rig = makeSlot();
  const attempt = await grant(rig);
  await rig.pass(45_000);
  expect(rig.renewals).toHaveLength(3);
  attempt.finish();
  await rig.pass(15_000);
  expect(rig.renewals).toHaveLength(4);
  rig.finished[0]?.recorded();
  await rig.pass(60_000);
  expect(rig.renewals).toHaveLength(4);
});

it('an attempt ends, and nothing is reported, when its lease is stopped', async () => {
  const rig = makeSlot();
  const attempt = await grant(rig);
  await rig.pass(15_000);
  rig.renewals[0]?.answer({ instruction: 'stop', reason: 'cancelled' });
  await rig.settle();
  expect(attempt.signal.aborted).toBe(true);
  expect(rig.finished).toHaveLength(0);
  expect(rig.returns).toHaveLength(0);
  expect(rig.asks).toHaveLength(2);
});

it('an attempt ends at once at a signal about its lease, and at no other', async () => {
  const rig = makeSlot();
  const attempt = await grant(rig);
  rig.slot.stopAttempt({ runId: 1, attempt: 2, reason: 'another attempt' });
  rig.slot.stopAttempt({ runId: 2, attempt: 1, reason: 'another run' });
  rig.slot.stopAttempt({ runId: 1, attempt: 1, grantEpoch: 9, reason: 'the attempt, granted again' });
  await rig.settle();
  expect(attempt.signal.aborted).toBe(false);
  rig.slot.stopAttempt({ runId: 1, attempt: 1, grantEpoch: 1, reason: 'the run was cancelled by ada' });
  await rig.settle();
  expect((attempt.signal.reason as Error).message).toBe('the run was cancelled by ada');
  expect(rig.finished).toHaveLength(0);
  expect(rig.returns).toHaveLength(0);
  expect(rig.asks).toHaveLength(2);
  await rig.pass(60_000);
  expect(rig.renewals).toHaveLength(0);
});

it.each([
  ['of an older epoch', { epoch: 0 }],
  ['about another attempt', { attempt: 2 }],
])('an attempt goes on when the message to stop is %s', async (_what, overrides) => {
  const rig = makeSlot();
  const attempt = await grant(rig);
  await rig.pass(15_000);
  rig.renewals[0]?.answer({ instruction: 'stop', ...overrides });
  await rig.settle();
  expect(attempt.signal.aborted).toBe(false);
});

it('a lease that is stopped while its result is delivered frees the slot, and the delivery goes on', async () => {
  const rig = makeSlot();
  const attempt = await grant(rig);
  attempt.finish();
  await rig.pass(15_000);
  rig.renewals[0]?.answer({ instruction: 'stop' });
  await rig.settle();
  expect(rig.finished).toHaveLength(1);
  expect(rig.asks).toHaveLength(2);
});

it('a held lease becomes a tmpfail when the worker fails, and goes back when the machine cannot begin', async () => {
  const rig = makeSlot();
  (await grant(rig)).fail(new Error('no space'));
  await rig.settle();
  expect(rig.finished[0]?.report).toMatchObject({ verdict: 'tmpfail', trouble: 'machine', files: [] });
  rig.finished[0]?.recorded();
  await rig.settle();
  (await grant(rig, leaseOf(2))).fail(new NotStarted('there is no image'));
  await rig.settle();
  expect(rig.finished).toHaveLength(1);
  expect(rig.returns).toMatchObject([{ runId: 2, reason: 'there is no image' }]);
  expect(rig.asks).toHaveLength(2);
  await rig.pass(2_000);
  expect(rig.asks).toHaveLength(3);
});

it('a held lease goes back when the machine turns out to be unusable', async () => {
  const rig = makeSlot();
  (await grant(rig)).fail(new Unusable('no sandbox was proved to work'));
  await rig.settle();
  expect(rig.returns).toMatchObject([{ runId: 1, reason: 'no sandbox was proved to work' }]);
});

it.each([
  [new UnsafeRequest('no "-x"'), 'request', 'the worker refuses the request: no "-x"'],
  [
    Object.assign(new Error('spawn E2BIG'), { code: 'E2BIG' }),
    'request',
    'the worker refuses the request: spawn E2BIG',
  ],
  [new ArchiveAway('no answer'), 'archive', 'the worker could not execute the test: no answer'],
  [new Error('no space'), 'machine', 'the worker could not execute the test: no space'],
])('a held lease becomes a tmpfail that names the probable cause: %s', async (error, trouble, message) => {
  const rig = makeSlot();
  (await grant(rig)).fail(error);
  await rig.settle();
  expect(rig.finished[0]?.report).toMatchObject({ verdict: 'tmpfail', trouble, message });
});

it('a held lease is reported and goes back with words that a message may have', async () => {
  const rig = makeSlot();
  const words = `two\nlines\0${'😀'.repeat(3_000)}`;
  (await grant(rig)).fail(new Error(words));
  await rig.settle();
  const { message } = rig.finished[0]?.report as { message: string };
  expect(message).toMatch(/^the worker could not execute the test: two lines (😀)+\ufffd?…$/u);
  expect(message).toHaveLength(2_000);
  rig.finished[0]?.recorded();
  await rig.settle();
  (await grant(rig, leaseOf(2))).fail(new NotStarted(words));
  await rig.settle();
  expect(rig.returns[0]?.reason).toMatch(/^two lines (😀)+\ufffd?…$/u);
  expect(rig.returns[0]?.reason).toHaveLength(1_000);
});

it('a held lease becomes a tmpfail of the machine, which counts, when the result cannot be kept', async () => {
  const rig = makeSlot();
  rig.state.diskProblem = 'no space';
  (await grant(rig)).finish();
  await rig.pass(15_000);
  expect(rig.returns).toEqual([]);
  const message = 'the worker could not keep the result: Error: no space';
  const failure = { runId: 1, attempt: 1, verdict: 'tmpfail', trouble: 'machine', message, files: [] };
  expect(rig.unkept.map(({ report }) => report)).toMatchObject([failure]);
  expect([rig.renewals.length, rig.asks.length]).toEqual([1, 1]);
  rig.unkept[0]?.recorded();
  await rig.settle();
  expect(rig.asks).toHaveLength(2);
});

describe('draining', () => {
  it('a draining slot lets the attempt end and its result reach the books, and does not ask again', async () => {
    const rig = makeSlot();
    const attempt = await grant(rig);
    let isDrained = false;
    const drained = rig.slot.drain('the worker drains').then(() => (isDrained = true));
    await rig.pass(60_000);
    expect([attempt.signal.aborted, isDrained]).toEqual([false, false]);
    attempt.finish();
    await rig.settle();
    expect(isDrained).toBe(false);
    rig.finished[0]?.recorded();
    await drained;
    await rig.pass(60_000);
    expect([rig.asks.length, rig.returns.length]).toEqual([1, 0]);
  });

  it('a draining slot hands back what is granted meanwhile', async () => {
    const rig = makeSlot();
    const drained = rig.slot.drain('the worker drains');
    rig.asks[0]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    await drained;
    expect(rig.returns).toMatchObject([{ runId: 1 }]);
    expect(rig.attempts).toHaveLength(0);
  });

  it.each([
    ['an answer that was lost', 5_000, 0],
    ['an answer that is lost while it drains', 0, 5_000],
  ])('a draining slot asks what %s has granted, and hands it back', async (_what, beforeMs, drainingMs) => {
    const rig = makeSlot();
    await rig.pass(beforeMs);
    const drained = rig.slot.drain('the worker drains');
    await rig.pass(drainingMs);
    expect(rig.asks.map(({ request }) => request.onlyHeld)).toEqual([undefined, true]);
    rig.asks[1]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    await drained;
    expect(rig.returns).toMatchObject([{ runId: 1 }]);
    expect(rig.attempts).toHaveLength(0);
  });

  it('a draining slot does not wait long for a dispatcher that does not answer', async () => {
    const rig = makeSlot();
    const drained = rig.slot.drain('the worker drains');
    await rig.pass(5_000 + 2_000);
    await drained;
    expect(rig.returns).toEqual([]);
  });

  it('a stop ends the draining of a slot, and hands the lease back', async () => {
    const rig = makeSlot();
    const attempt = await grant(rig);
    const drained = rig.slot.drain('the worker drains');
    await rig.slot.stop('the worker stops');
    await drained;
    expect(attempt.signal.aborted).toBe(true);
    expect(rig.returns).toMatchObject([{ runId: 1, attempt: 1, reason: 'the worker stops' }]);
  });
});

describe('stopping', () => {
  it('a stopping slot hands the lease back, then ends the attempt', async () => {
    const rig = makeSlot();
    const attempt = await grant(rig);
    let wasReturnedFirst = false;
    attempt.signal.addEventListener('abort', () => (wasReturnedFirst = rig.returns.length === 1));
    await rig.slot.stop('the worker stops');
    expect(wasReturnedFirst).toBe(true);
    expect(rig.returns).toMatchObject([{ runId: 1, attempt: 1, reason: 'the worker stops' }]);
    expect(rig.finished).toHaveLength(0);
  });

  it('a stopping slot waits for the dispatcher for a limited time', async () => {
    const rig = makeSlot();
    rig.state.returnsAreAnswered = false;
    const attempt = await grant(rig);
    const stopped = rig.slot.stop('the worker stops');
    await rig.pass(2_000);
    await stopped;
    expect(attempt.signal.aborted).toBe(true);
  });

  it('a stopping slot hands back what is granted meanwhile, and does not ask again', async () => {
    const rig = makeSlot();
    const stopped = rig.slot.stop('the worker stops');
    rig.asks[0]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    await stopped;
    expect(rig.returns).toMatchObject([{ runId: 1 }]);
    expect(rig.attempts).toHaveLength(0);
    await rig.pass(60_000);
    expect(rig.asks).toHaveLength(1);
  });

  it('a stopping slot keeps a result that is there already', async () => {
    const rig = makeSlot();
    (await grant(rig)).finish();
    await rig.settle();
    await rig.slot.stop('the worker stops');
    expect(rig.returns).toHaveLength(0);
    expect(rig.finished).toHaveLength(1);
  });
});
