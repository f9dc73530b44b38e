import { grant, leaseOf, makeSlot, type Ask } from '@test/support/slot-rig';

describe('late grants', () => {
  it('a late grant is executed when the slot is still free, and once', async () => {
    const rig = makeSlot();
    await rig.pass(7_000);
    rig.asks[0]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    rig.asks[1]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    expect([rig.attempts.length, rig.returns.length]).toEqual([1, 0]);
  });

  it('a late grant goes back at once when the slot executes another', async () => {
    const rig = makeSlot(['amd64', 'i386']);
    await rig.pass(10_000);
    expect(rig.asks.map(({ arch }) => arch)).toEqual(['amd64', 'amd64', 'i386']);
    await grant(rig, leaseOf(2, { arch: 'i386' }));
    rig.asks[0]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    expect(rig.returns).toMatchObject([{ runId: 1, attempt: 1, reason: 'the slot is not free' }]);
    expect(rig.attempts).toHaveLength(1);
  });

  it('a late grant neither goes back nor is executed again when the slot has executed it', async () => {
    const rig = makeSlot();
    await rig.pass(5_000);
    const attempt = await grant(rig);
    attempt.finish();
    await rig.settle();
    rig.finished[0]?.recorded();
    await rig.settle();
    rig.asks[0]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    expect([rig.attempts.length, rig.returns.length]).toEqual([1, 0]);
  });

  it('a grant goes back when the slot executed it before it asked, as when its owner has slept meanwhile', async () => {
    const rig = makeSlot();
    const attempt = await grant(rig);
    attempt.finish();
    await rig.settle();
    rig.finished[0]?.recorded();
    await rig.settle();
    rig.asks[1]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    expect(rig.attempts).toHaveLength(1);
    expect(rig.returns).toMatchObject([{ runId: 1, attempt: 1, reason: 'it was executed here' }]);
    await rig.pass(5_000);
    rig.asks.at(-1)?.answer({ lease: leaseOf(2) });
    await rig.settle();
    expect(rig.attempts).toHaveLength(2);
  });

  it('a grant goes back again when its owner has forgotten the return, as after a restore of the database', async () => {
    const rig = makeSlot();
    const attempt = await grant(rig);
    attempt.finish();
    await rig.settle();
    rig.finished[0]?.recorded();
    await rig.settle();
    for (let ask = 1; ask <= 3; ask += 1) {
      rig.asks.at(-1)?.answer({ lease: leaseOf(1) });
      await rig.settle();
      await rig.pass(2_000);
    }
    expect(rig.attempts).toHaveLength(1);
    expect(rig.returns).toHaveLength(3);
  });

  it('a grant that was handed back and is repeated by the answer to the next ask is not executed', async () => {
    const rig = makeSlot();
    rig.asks[0]?.answer({ epoch: 7 });
    await rig.pass(10_000);
    rig.asks[1]?.answer({ epoch: 6, lease: leaseOf(1) });
    await rig.pass(2_000);
    rig.asks[2]?.answer({ epoch: 7, lease: leaseOf(1) });
    await rig.settle();
    expect(rig.attempts).toHaveLength(0);
    expect(rig.asks).toHaveLength(4);
    rig.asks[3]?.answer({ epoch: 7, lease: leaseOf(1, { attempt: 2 }) });
    await rig.settle();
    expect(rig.attempts).toHaveLength(1);
  });

  it('a grant that was handed back is executed after all when its return was not confirmed', async () => {
    const rig = makeSlot();
    rig.state.returnsAreAnswered = false;
    rig.asks[0]?.answer({ epoch: 7 });
    await rig.pass(10_000);
    rig.asks[1]?.answer({ epoch: 6, lease: leaseOf(1) });
    await rig.pass(2_000);
    rig.asks[2]?.answer({ epoch: 7, lease: leaseOf(1) });
    await rig.pass(5_000);
    expect(rig.attempts).toHaveLength(1);
  });
});

it('an ask names the results of its architecture that wait for an answer', async () => {
  const rig = makeSlot(['amd64', 'i386']);
  rig.state.kept = [
    { arch: 'i386', runId: 7, attempt: 2, grantEpoch: 5 },
    { arch: 's390x', runId: 8, attempt: 1 },
  ];
  rig.asks[0]?.answer();
  await rig.settle();
  expect(rig.asks[1]?.request.kept).toEqual([{ runId: 7, attempt: 2, grantEpoch: 5 }]);
  rig.asks[1]?.answer();
  await rig.pass(10_000);
  expect(rig.asks[2]?.request).not.toHaveProperty('kept');
});

describe('lost answers', () => {
  it('a lost answer makes a slot of several architectures ask the same one once more, which grants the same lease', async () => {
    const rig = makeSlot(['amd64', 'i386']);
    await rig.pass(5_000);
    expect(rig.asks.map(({ arch }) => arch)).toEqual(['amd64', 'amd64']);
    const attempt = await grant(rig);
    expect(attempt.lease.runId).toBe(1);
  });

  it.each([
    ['an error', ({ fail }: Ask) => fail()],
    ['the answer of an owner that was replaced', ({ answer }: Ask) => answer({ epoch: 1 })],
  ])(
    'a lost answer may be hidden by %s that came first: the same architecture is asked once more',
    async (_, hide) => {
      const rig = makeSlot(['amd64', 'i386']);
      rig.asks[0]?.answer({ epoch: 2 });
      await rig.settle();
      rig.asks[1]?.answer();
      await rig.pass(10_000);
      hide(rig.asks[2]!);
      await rig.settle();
      expect(rig.asks.map(({ arch }) => arch)).toEqual(['amd64', 'i386', 'amd64', 'amd64']);
      rig.asks[3]?.answer({ epoch: 2, lease: leaseOf(1, { grantEpoch: 2 }) });
      await rig.settle();
      expect(rig.attempts).toHaveLength(1);
    },
  );

  it('a lost answer does not hold up the other architectures for longer', async () => {
    const rig = makeSlot(['amd64', 'i386']);
    await rig.pass(10_000);
    rig.asks[2]?.answer();
    await rig.pass(10_000);
    expect(rig.asks.map(({ arch }) => arch)).toEqual(['amd64', 'amd64', 'i386', 'amd64', 'i386']);
  });

  it('the lease of a lost answer is handed back while the slot executes that of another architecture', async () => {
    const rig = makeSlot(['amd64', 'i386']);
    await rig.pass(10_000);
    const attempt = await grant(rig, leaseOf(2, { arch: 'i386' }));
    expect(rig.asks.at(-1)).toMatchObject({ arch: 'amd64', request: { onlyHeld: true } });
    await rig.pass(7_000);
    expect(rig.asks.at(-1)).toMatchObject({ arch: 'amd64', request: { onlyHeld: true } });
    rig.asks.at(-1)?.answer({ lease: leaseOf(1), askAgainMs: 99_000 });
    const askCount = rig.asks.length;
    await rig.pass(60_000);
    expect(rig.returns).toMatchObject([{ runId: 1, attempt: 1 }]);
    expect(rig.asks).toHaveLength(askCount);
    expect(attempt.signal.aborted).toBe(false);
  });
});
