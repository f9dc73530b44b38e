import type { CanaryTest } from '@proctor/contracts';
import { grant, leaseOf, makeSlot } from '@test/support/slot-rig';

const TEST: CanaryTest = {
  canary: '7.1',
  suite: 'bookworm',
  arch: 'amd64',
  backend: 'unshare',
  variant: 'autopkgtest',
};
const PASSED = { passed: true, message: 'all tests passed' };

async function ordered(architectures?: string[]) {
  const rig = makeSlot(architectures);
  rig.asks[0]?.answer({ canary: TEST });
  await rig.settle();
  return rig;
}

it('a canary test is executed, without a report, and its result is sent with the next ask', async () => {
  const rig = await ordered();
  expect(rig.canaries.map(({ test }) => test)).toEqual([TEST]);
  await rig.pass(60_000);
  expect(rig.asks).toHaveLength(1);
  rig.canaries[0]?.finish(PASSED);
  await rig.settle();
  expect(rig.asks[1]?.request.canary).toEqual({ canary: '7.1', ...PASSED });
  expect([rig.started, rig.finished, rig.renewals, rig.attempts]).toEqual([[], [], [], []]);
  await grant(rig, leaseOf(1));
  expect(rig.attempts).toHaveLength(1);
});

it('the result of a canary test is sent with each ask until one was answered, and then no longer', async () => {
  const rig = await ordered();
  rig.canaries[0]?.finish(PASSED);
  await rig.pass(7_000);
  expect(rig.asks).toHaveLength(3);
  expect(rig.asks[2]?.request.canary).toEqual(rig.asks[1]?.request.canary);
  // Too late: the slot waits for another answer.
  rig.asks[1]?.answer();
  rig.asks[2]?.answer();
  await rig.pass(10_000);
  expect(rig.asks).toHaveLength(4);
  expect(rig.asks[3]?.request).not.toHaveProperty('canary');
});

it.each([
  ['of an older epoch', { epoch: 0 }],
  ['of another ask', { ask: 'another' }],
  ['beside a lease', { lease: leaseOf(1) }],
])('a canary test in an answer %s is not executed', async (_what, reply) => {
  const rig = makeSlot();
  rig.asks[0]?.answer({ epoch: 1 });
  await rig.pass(10_000);
  rig.asks[1]?.answer({ canary: TEST, ...reply });
  await rig.settle();
  expect(rig.canaries).toHaveLength(0);
});

it('the result of a canary test is sent first to the architecture that wanted it, and to no other', async () => {
  const rig = await ordered(['amd64', 'i386']);
  rig.canaries[0]?.finish(PASSED);
  await rig.settle();
  rig.asks[1]?.answer();
  await rig.settle();
  const canaries = rig.asks.map(({ arch, request }) => [arch, request.canary?.canary]);
  expect(canaries).toEqual([
    ['amd64', undefined],
    ['amd64', '7.1'],
    ['i386', undefined],
  ]);
});

it('a canary test that the machine cannot begin has failed', async () => {
  const rig = await ordered();
  rig.canaries[0]?.fail(new Error(`there is\nno image\0${'😀'.repeat(2_000)}`));
  await rig.settle();
  const canary = rig.asks[1]?.request.canary;
  expect(canary).toMatchObject({
    passed: false,
    message: expect.stringMatching(/^there is no image (😀)+\ufffd?…$/u),
  });
  expect(canary?.message).toHaveLength(1_000);
});

it('a canary test ends with the worker, and is not reported', async () => {
  const rig = await ordered();
  await rig.slot.stop('the worker stops');
  expect(rig.canaries[0]?.signal.aborted).toBe(true);
  await rig.pass(60_000);
  expect(rig.asks).toHaveLength(1);
  expect(rig.returns).toHaveLength(0);
});
