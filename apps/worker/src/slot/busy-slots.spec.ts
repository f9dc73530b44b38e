import { grant, leaseOf, makeSlot, type Rig } from '@test/support/slot-rig';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { BusySlots } from './busy-slots';

const toI386 = (rig: Rig) => rig.asks.filter(({ arch }) => arch === 'i386');

/** A slot of both architectures that has an answer of i386, and executes a run of amd64. */
async function busyWithAmd64(lease = leaseOf(1)) {
  const rig = makeSlot(['amd64', 'i386']);
  rig.asks[0]?.answer();
  await rig.settle();
  rig.asks[1]?.answer({ askAgainMs: 10_001 });
  await rig.pass(10_000);
  const attempt = await grant(rig, lease);
  return { rig, attempt };
}

describe('a slot that is busy', () => {
  it('asks its other architectures when they need a message, only for what it has there', async () => {
    const { rig } = await busyWithAmd64();
    expect(toI386(rig)).toHaveLength(1);
    await rig.pass(1);
    expect(toI386(rig)).toHaveLength(2);
    expect(toI386(rig)[1]?.request).toMatchObject({ onlyHeld: true, slot: 0, busyElsewhere: [0] });
    toI386(rig)[1]?.answer({ askAgainMs: 20_000 });
    await rig.pass(19_000);
    expect(toI386(rig)).toHaveLength(2);
    await rig.pass(1_000);
    expect(toI386(rig)).toHaveLength(3);
    expect(rig.attempts).toHaveLength(1);
  });

  it('asks again soon when it gets no answer', async () => {
    const { rig } = await busyWithAmd64();
    await rig.pass(1);
    toI386(rig)[1]?.fail();
    await rig.pass(2_000);
    expect(toI386(rig)).toHaveLength(3);
    await rig.pass(5_000 + 2_000);
    expect(toI386(rig)).toHaveLength(4);
  });

  it('hands back what such an ask is granted', async () => {
    const { rig } = await busyWithAmd64();
    await rig.pass(1);
    toI386(rig)[1]?.answer({ lease: leaseOf(2, { arch: 'i386' }) });
    await rig.settle();
    expect(rig.returns).toMatchObject([{ runId: 2, reason: 'the slot is not free' }]);
    expect(rig.attempts).toHaveLength(1);
  });

  it.each([true, undefined])(
    'does not name to others that it executes a run that is private: %s',
    async (isPrivate) => {
      const { rig } = await busyWithAmd64({ ...leaseOf(1), isPrivate });
      await rig.pass(1);
      expect(toI386(rig)[1]?.request).toMatchObject({ onlyHeld: true });
      expect(toI386(rig)[1]?.request).not.toHaveProperty('busyElsewhere');
    },
  );

  it('asks for work as ever once it is free', async () => {
    const { rig, attempt } = await busyWithAmd64();
    await rig.pass(1);
    toI386(rig)[1]?.answer({ askAgainMs: 20_000 });
    await rig.settle();
    attempt.finish();
    await rig.settle();
    rig.finished[0]?.recorded();
    await rig.settle();
    expect(rig.asks.at(-1)?.request).not.toHaveProperty('onlyHeld');
    expect(rig.asks.at(-1)?.request).not.toHaveProperty('busyElsewhere');
  });

  it('does not ask an architecture that has not answered its result yet, which would name that lease', async () => {
    const { rig, attempt } = await busyWithAmd64();
    attempt.finish();
    await rig.pass(30_000);
    await grant(rig, leaseOf(2, { arch: 'i386' }));
    const before = rig.asks.length;
    await rig.pass(60_000);
    expect(rig.attempts).toHaveLength(2);
    expect(rig.asks).toHaveLength(before);
    expect(rig.returns).toEqual([]);
  });

  it('executes a canary test: the other architectures get its messages meanwhile', async () => {
    const rig = makeSlot(['amd64', 'i386']);
    const canary = {
      canary: 'c1',
      suite: 'trixie',
      arch: 'amd64',
      backend: 'unshare',
      variant: 'autopkgtest',
    };
    rig.asks[0]?.answer({ canary });
    await rig.pass(2_000);
    expect(toI386(rig)[0]?.request).toMatchObject({ onlyHeld: true });
    expect(toI386(rig)[0]?.request).not.toHaveProperty('busyElsewhere');
  });
});

describe('all slots of a worker', () => {
  function twoSlots() {
    const clock = new VirtualClock();
    const requests: string[] = [];
    const busy = new BusySlots(['amd64', 'i386', 'arm64'], 2, clock, 2_000);
    const begins = (number: number, arch: string, others: string[]) =>
      busy.add({
        number,
        arch,
        isPublic: true,
        others,
        request: (other) => {
          requests.push(`${number} ${other}`);
          busy.onAnswer({ arch: other, askAgainMs: 20_000 });
          return Promise.resolve(true);
        },
      });
    const pass = (ms: number) => clock.runUntil(clock.now() + ms);
    return { busy, begins, requests, pass };
  }

  it('one of them asks each architecture while none is free', async () => {
    const { busy, begins, requests, pass } = twoSlots();
    begins(0, 'amd64', ['i386', 'arm64']);
    await pass(60_000);
    expect(requests).toEqual([]);
    begins(1, 'i386', ['amd64', 'arm64']);
    await pass(2_000);
    expect(requests.sort()).toEqual(['0 arm64', '0 i386', '1 amd64']);
    await pass(20_000);
    expect(requests).toHaveLength(6);
    busy.remove(1);
    await pass(60_000);
    expect(requests).toHaveLength(6);
  });

  it('an architecture that no slot may ask is left alone', async () => {
    const { begins, requests, pass } = twoSlots();
    begins(0, 'amd64', ['i386']);
    begins(1, 'amd64', ['i386']);
    await pass(60_000);
    expect(new Set(requests)).toEqual(new Set(['0 i386']));
  });

  it('those are named to an architecture that execute public runs of another one', () => {
    const { busy, begins } = twoSlots();
    begins(0, 'amd64', []);
    begins(1, 'i386', []);
    expect(['amd64', 'i386', 'arm64'].map((arch) => busy.elsewhere(arch))).toEqual([[1], [0], [0, 1]]);
  });
});
