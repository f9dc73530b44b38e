import { grant, leaseOf, makeSlot, type Rig } from '@test/support/slot-rig';

/** Each ask is answered at once with a grant that the slot does not take; what goes back says that work is waiting. */
async function refuseFor(rig: Rig, ms: number, answer: (attempt: number) => object): Promise<number[]> {
  const askTimes: number[] = [];
  for (const endMs = rig.clock.now() + ms; rig.clock.now() < endMs;) {
    while (askTimes.length < rig.asks.length) {
      askTimes.push(rig.clock.now());
      rig.asks[askTimes.length - 1]!.answer(answer(askTimes.length));
      await rig.settle();
      rig.slot.wake();
      await rig.settle();
    }
    await rig.pass(100);
  }
  return askTimes;
}

it('a slot that refuses grants of a lower epoch rests longer each time, whatever signals, and takes them once they count', async () => {
  const rig = makeSlot();
  const first = await grant(rig, leaseOf(1, {}));
  first.finish();
  await rig.settle();
  rig.finished[0]?.recorded();
  await rig.settle();
  const lower = (attempt: number) => ({ epoch: 0, lease: leaseOf(2, { attempt, grantEpoch: 0 }) });
  const before = rig.asks.length - 1;
  const askTimes = (await refuseFor(rig, 60_000, lower)).slice(before);
  expect(askTimes.length).toBeLessThanOrEqual(6);
  expect(rig.attempts).toHaveLength(2);
  expect(rig.returns).toHaveLength(askTimes.length - 1);
});

it('a slot whose worker has a problem that its dispatcher does not heed rests longer each time', async () => {
  const rig = makeSlot();
  rig.state.problem = 'no space';
  rig.asks[0]?.answer({ askAgainMs: 0 });
  await rig.pass(100);
  const askTimes = await refuseFor(rig, 300_000, (attempt) => ({ lease: leaseOf(1, { attempt }) }));
  const pauses = askTimes.slice(1).map((at, place) => Math.round((at - askTimes[place]!) / 1_000));
  expect(pauses.slice(0, 7)).toEqual([0, 0, 2, 4, 8, 16, 32]);
  expect(rig.attempts).toEqual([]);
});

it('a slot that rests since it has refused grants drains without waiting for the end of its rest', async () => {
  const rig = makeSlot();
  rig.state.problem = 'no space';
  rig.asks[0]?.answer({ askAgainMs: 0 });
  await rig.pass(100);
  await refuseFor(rig, 20_000, (attempt) => ({ lease: leaseOf(1, { attempt }) }));
  const drained = rig.slot.drain('the worker drains');
  await rig.settle();
  await drained;
});
