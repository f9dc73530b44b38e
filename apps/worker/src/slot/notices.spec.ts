import { grant, leaseOf, makeSlot } from '@test/support/slot-rig';
import { Notices } from './notices';

const REFUSED = 'another process is alive';
const NOTICE = 'another process calls itself w, too';

function makeNotices() {
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  return { notices: new Notices({ log: note, warn: note }), lines };
}

it('a notice of a dispatcher is logged when it changes, and only then', () => {
  const { notices, lines } = makeNotices();
  for (const answer of [{}, { refused: REFUSED }, { refused: REFUSED }, { notice: NOTICE }, {}, {}])
    notices.onAnswer('amd64', answer);
  expect(lines).toEqual([
    `the dispatcher of amd64 says: ${REFUSED}`,
    `the dispatcher of amd64 says: ${NOTICE}`,
    `the dispatcher of amd64 no longer says: ${NOTICE}`,
  ]);
});

it('a notice stands until its dispatcher says otherwise, and a refusal goes first', () => {
  const { notices } = makeNotices();
  expect([notices.problem, notices.refusal]).toEqual([undefined, undefined]);
  notices.onAnswer('amd64', { notice: NOTICE });
  expect([notices.problem, notices.refusal]).toEqual([NOTICE, undefined]);
  notices.onAnswer('i386', { refused: REFUSED });
  expect([notices.problem, notices.refusal]).toEqual([REFUSED, REFUSED]);
  notices.onAnswer('i386', {});
  expect([notices.problem, notices.refusal]).toEqual([NOTICE, undefined]);
});

it('a notice comes with the answers to asks and renewals, but not with those of an owner that was replaced', async () => {
  const rig = makeSlot();
  rig.asks[0]?.answer({ refused: REFUSED, epoch: 2, askAgainMs: 1_000 });
  await rig.settle();
  expect(rig.notices.refusal).toBe(REFUSED);
  await rig.pass(1_000);
  rig.asks[1]?.answer({ epoch: 1 });
  await rig.settle();
  expect(rig.notices.refusal).toBe(REFUSED);
  await rig.pass(2_000);
  rig.asks[2]?.answer({ epoch: 2, lease: leaseOf(1) });
  await rig.settle();
  expect(rig.notices.problem).toBeUndefined();
  await rig.pass(15_000);
  rig.renewals[0]?.answer({ epoch: 2, notice: NOTICE });
  await rig.settle();
  expect(rig.notices.problem).toBe(NOTICE);
});

it('each ask names the earlier lives of the worker', async () => {
  const rig = makeSlot();
  expect(rig.asks[0]?.request.previous).toEqual(['0b9f6a2c-8a53-4c7e-9d7a-5a2f2f0f0a00']);
  await grant(rig);
  expect(rig.attempts).toHaveLength(1);
});
