import { grant, leaseOf, makeSlot, type Ask } from '../../../../test/support/slot-rig';

describe('a slot', () => {
  it('executes a grant, reports it, and asks again when it is in the books', async () => {
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

  it('waits as long as it was told when there is nothing, and passes on what is wanted', async () => {
    const rig = makeSlot();
    rig.asks[0]?.answer({ askAgainMs: 10_000, wanted: [{ suite: 'trixie', backend: 'unshare' }] });
    await rig.pass(9_999);
    expect(rig.asks).toHaveLength(1);
    await rig.pass(1);
    expect(rig.asks).toHaveLength(2);
    expect(rig.wanted).toEqual([{ suite: 'trixie', backend: 'unshare' }]);
  });

  it('asks at once when it is woken, also when the signal came while it was asking', async () => {
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

  it('waits no longer than a second for an answer once work is waiting, and asks again at once', async () => {
    const rig = makeSlot();
    await rig.pass(400);
    rig.slot.wake();
    await rig.pass(599);
    expect(rig.asks).toHaveLength(1);
    await rig.pass(1);
    expect(rig.asks).toHaveLength(2);
    await rig.pass(2_000);
    expect(rig.asks).toHaveLength(2);
    rig.slot.wake();
    await rig.settle();
    expect(rig.asks).toHaveLength(3);
    await grant(rig);
    rig.asks[0]?.answer({ epoch: 0, lease: leaseOf(9) });
    await rig.settle();
    expect([rig.attempts.length, rig.returns.length]).toEqual([1, 0]);
  });

  it('takes the answer of a dispatcher that is only a little slow', async () => {
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
  ])('asks again under a new name when the answer %s', async (_how, happen, ms) => {
    const rig = makeSlot();
    happen(rig.asks[0] as Ask);
    await rig.pass(ms);
    expect(rig.asks).toHaveLength(2);
    expect(rig.asks[1]?.request.ask).not.toBe(rig.asks[0]?.request.ask);
  });

  it('says why it is not answered, once for as long as that lasts', async () => {
    const rig = makeSlot();
    for (const number of [0, 1]) {
      rig.asks[number]?.fail();
      await rig.pass(2_000);
    }
    expect(rig.said).toEqual(['no answer for amd64: Error: nobody answers']);
    rig.asks[2]?.answer();
    await rig.pass(10_000);
    rig.asks[3]?.fail();
    await rig.settle();
    expect(rig.said).toHaveLength(2);
  });

  it('asks one architecture after the other, each first in its turn', async () => {
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

  it('ignores an answer with an epoch lower than the highest seen', async () => {
    const rig = makeSlot();
    rig.asks[0]?.answer({ epoch: 7 });
    await rig.pass(10_000);
    rig.asks[1]?.answer({ epoch: 6, lease: leaseOf(1) });
    await rig.settle();
    expect(rig.attempts).toHaveLength(0);
    expect(rig.returns).toHaveLength(0);
  });
});

describe('a grant that comes late', () => {
  it('goes back at once', async () => {
    const rig = makeSlot();
    await rig.pass(7_000);
    rig.asks[0]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    expect(rig.returns).toMatchObject([{ runId: 1, attempt: 1 }]);
    expect(rig.attempts).toHaveLength(0);
  });

  it('and is granted again by the answer to the next ask is not executed', async () => {
    const rig = makeSlot();
    await rig.pass(7_000);
    rig.asks[0]?.answer({ lease: leaseOf(1) });
    rig.asks[1]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    expect(rig.attempts).toHaveLength(0);
    expect(rig.asks).toHaveLength(3);
    await grant(rig, leaseOf(1, { attempt: 2 }));
    expect(rig.attempts).toHaveLength(1);
  });

  it('is executed after all when nobody confirmed that it went back', async () => {
    const rig = makeSlot();
    rig.state.returnsAreAnswered = false;
    await rig.pass(7_000);
    rig.asks[0]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    rig.asks[1]?.answer({ lease: leaseOf(1) });
    await rig.pass(5_000);
    expect(rig.attempts).toHaveLength(1);
  });

  it('is no second grant when it is the lease that is being executed', async () => {
    const rig = makeSlot();
    await rig.pass(7_000);
    rig.asks[1]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    rig.asks[0]?.answer({ lease: leaseOf(1) });
    await rig.settle();
    expect(rig.returns).toHaveLength(0);
    expect(rig.attempts).toHaveLength(1);
  });
});
