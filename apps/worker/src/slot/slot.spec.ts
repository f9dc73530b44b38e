import { NotStarted } from './ports';
import { grant, leaseOf, makeSlot, type Ask } from '@test/support/slot-rig';

it('a slot executes a grant, reports it, and asks again when it is recorded', async () => {
  const rig = makeSlot();
  const attempt = await grant(rig);
  expect(attempt.lease.runId).toBe(1);
  expect(rig.started).toEqual([1]);
  attempt.finish();
  await rig.settle();
  expect(rig.finished[0]?.report).toMatchObject({
    runId: 1,
    attempt: 1,
    verdict: 'pass',
    worker: 'w',
    slot: 0,
  });
  expect(rig.finished[0]?.report).toHaveProperty('files', [
    { name: 'log.gz', size: 1, sha256: 'a'.repeat(64) },
  ]);
  expect(rig.asks).toHaveLength(1);
  rig.finished[0]?.recorded();
  await rig.settle();
  expect(rig.asks).toHaveLength(2);
});

it('a slot waits as long as the answer says when there is nothing, and passes on what is wanted', async () => {
  const rig = makeSlot();
  rig.asks[0]?.answer({ askAgainMs: 10_000, wanted: [{ suite: 'trixie', backend: 'unshare' }] });
  await rig.pass(9_999);
  expect(rig.asks).toHaveLength(1);
  await rig.pass(1);
  expect(rig.asks).toHaveLength(2);
  expect(rig.requestedTestbeds).toEqual([{ suite: 'trixie', backend: 'unshare' }]);
});

it('a slot asks at once when it is woken, also when the signal came while it was asking', async () => {
  const rig = makeSlot();
  rig.asks[0]?.answer();
  await rig.settle();
  rig.slot.wake();
  await rig.settle();
  expect(rig.asks).toHaveLength(2);
  rig.slot.wake();
  rig.asks[1]?.answer();
  await rig.settle();
  expect(rig.asks).toHaveLength(3);
});

it('a slot asks a second time once work is waiting and no answer came within a second, and takes either answer', async () => {
  const rig = makeSlot();
  await rig.pass(400);
  rig.slot.wake();
  await rig.pass(599);
  expect(rig.asks).toHaveLength(1);
  await rig.pass(1);
  expect(rig.asks).toHaveLength(2);
  rig.slot.wake();
  await rig.pass(2_000);
  expect(rig.asks).toHaveLength(2);
  rig.asks[0]?.answer({ lease: leaseOf(1) });
  rig.asks[1]?.answer({ lease: leaseOf(1) });
  await rig.settle();
  expect([rig.attempts.length, rig.returns.length]).toEqual([1, 0]);
});

it('a slot takes the answer of a dispatcher that is only a little slow', async () => {
  const rig = makeSlot();
  rig.slot.wake();
  await rig.pass(900);
  const attempt = await grant(rig);
  await rig.pass(10_000);
  expect([rig.asks.length, attempt.signal.aborted]).toEqual([1, false]);
});

it.each([
  ['is lost', (_ask: Ask) => undefined, 5_000 + 2_000],
  ['fails', (ask: Ask) => ask.fail(), 2_000],
])('a slot asks again under a new name when the answer %s', async (_how, happen, ms) => {
  const rig = makeSlot();
  happen(rig.asks[0] as Ask);
  await rig.pass(ms);
  expect(rig.asks).toHaveLength(2);
  expect(rig.asks[1]?.request.ask).not.toBe(rig.asks[0]?.request.ask);
});

it('a slot logs why it is not answered, once for as long as that lasts', async () => {
  const rig = makeSlot();
  for (const number of [0, 1]) {
    rig.asks[number]?.fail();
    await rig.pass(2_000);
  }
  expect(rig.lines).toEqual(['no answer for amd64: Error: no answer']);
  rig.asks[2]?.answer();
  await rig.pass(10_000);
  rig.asks[3]?.fail();
  await rig.settle();
  expect(rig.lines).toHaveLength(2);
});

it('a slot asks one architecture after the other, each first in its turn', async () => {
  const rig = makeSlot(['amd64', 'i386']);
  rig.asks[0]?.answer();
  await rig.settle();
  expect(rig.asks.map(({ arch }) => arch)).toEqual(['amd64', 'i386']);
  const attempt = await grant(rig, leaseOf(1, { arch: 'i386' }));
  attempt.finish();
  await rig.settle();
  rig.finished[0]?.recorded();
  await rig.settle();
  expect(rig.asks.at(-1)?.arch).toBe('amd64');
});

it('a slot hands back what is granted by an epoch lower than the highest seen', async () => {
  const rig = makeSlot();
  rig.asks[0]?.answer({ epoch: 7 });
  await rig.pass(10_000);
  rig.asks[1]?.answer({ epoch: 6, lease: leaseOf(1) });
  await rig.settle();
  expect(rig.attempts).toHaveLength(0);
  expect(rig.returns).toMatchObject([{ runId: 1, attempt: 1, reason: 'its dispatcher was replaced' }]);
});

it('a slot executes what a lower epoch grants once no other answer has come for a while', async () => {
  const rig = makeSlot();
  rig.asks[0]?.answer({ epoch: 7 });
  await rig.pass(10_000);
  for (let runId = 1; rig.attempts.length === 0 && runId < 20; runId += 1) {
    rig.asks.at(-1)?.answer({ epoch: 3, lease: leaseOf(runId) });
    await rig.pass(2_000);
  }
  expect(rig.clock.now()).toBeLessThan(30_000);
  expect(rig.attempts).toHaveLength(1);
  expect(rig.returns.length).toBe(rig.asks.length - 2);
  expect(rig.lines.filter((line) => line.includes('epoch'))).toHaveLength(2);
});

it('a slot returns the lease that it is granted while it takes no work', async () => {
  const rig = makeSlot();
  rig.state.problem = 'the disk is full';
  rig.asks[0]?.answer();
  await rig.pass(10_000);
  await grant(rig);
  expect(rig.attempts).toHaveLength(0);
  expect(rig.returns).toMatchObject([{ runId: 1, reason: 'the disk is full' }]);
});

it('a slot rests longer each time when it cannot begin what it is granted, whatever signals come', async () => {
  const rig = makeSlot();
  const restsMs: number[] = [];
  for (let runId = 1; runId <= 7; runId += 1) {
    (await grant(rig, leaseOf(runId))).fail(new NotStarted('there is no image'));
    const endedMs = rig.clock.now();
    const askCount = rig.asks.length;
    while (rig.asks.length === askCount) {
      rig.slot.wake();
      await rig.pass(1_000);
    }
    restsMs.push(rig.clock.now() - endedMs);
  }
  expect(restsMs).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

describe('unanswered results', () => {
  it('an unanswered result keeps its slot from its own architecture alone, while its lease is renewed', async () => {
    const rig = makeSlot(['amd64', 'i386']);
    const forWork = () => rig.asks.filter(({ request }) => !request.onlyHeld);
    (await grant(rig)).finish();
    await rig.pass(29_999);
    expect(forWork()).toHaveLength(1);
    await rig.pass(1);
    expect(rig.asks.at(-1)?.arch).toBe('i386');
    const other = await grant(rig, leaseOf(2, { arch: 'i386' }));
    await rig.pass(60_000);
    expect(rig.renewals.filter(({ request }) => request.runId === 1)).toHaveLength(6);
    other.finish();
    await rig.settle();
    rig.finished[1]?.recorded();
    await rig.settle();
    expect(
      forWork()
        .slice(1)
        .map(({ arch }) => arch),
    ).toEqual(['i386', 'i386']);
    rig.asks.at(-1)?.answer();
    await rig.settle();
    rig.finished[0]?.recorded();
    await rig.settle();
    expect(
      forWork()
        .slice(3)
        .map(({ arch }) => arch),
    ).toEqual(['amd64']);
    await rig.pass(60_000);
    expect(rig.renewals.filter(({ request }) => request.runId === 1)).toHaveLength(6);
  });

  it('an unanswered result leaves a slot of one architecture without work, until it is answered or its lease is gone', async () => {
    const rig = makeSlot();
    (await grant(rig)).finish();
    await rig.pass(120_000);
    expect(rig.asks).toHaveLength(1);
    rig.slot.stopAttempt({ runId: 1, attempt: 1, reason: 'cancelled' });
    await rig.pass(2_400);
    expect(rig.asks).toHaveLength(2);
  });

  it('an unanswered result does not keep a worker from ending', async () => {
    const rig = makeSlot();
    (await grant(rig)).finish();
    const drained = rig.slot.drain('the worker drains');
    await rig.pass(30_000);
    await drained;
    await rig.slot.stop('the worker stops');
    const { length } = rig.renewals;
    await rig.pass(60_000);
    expect([rig.renewals.length, rig.returns.length, rig.asks.length]).toEqual([length, 0, 1]);
  });
});

it('after work without a signal in its turn, a slot makes the next slot ask at once', async () => {
  const rig = makeSlot();
  const hasten = jest.spyOn(rig.turns, 'wakeNext');
  rig.asks[0]?.answer();
  await rig.settle();
  rig.slot.wake();
  await rig.settle();
  const attempt = await grant(rig);
  expect(hasten).not.toHaveBeenCalled();
  attempt.finish();
  await rig.settle();
  rig.finished[0]?.recorded();
  await rig.settle();
  rig.asks.at(-1)?.answer();
  await rig.pass(10_000);
  hasten.mockClear();
  await grant(rig, leaseOf(2));
  expect(hasten).toHaveBeenCalledTimes(1);
});
