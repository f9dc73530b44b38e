import { LeaseRequest, parseMessage, type Testbed } from '@proctor/contracts';
import { leaseRequest } from '@test/support/runs';
import { offeredTestbeds } from './testbeds';

const failures = (count: number, detail?: string): Testbed[] =>
  Array.from({ length: count }, (_, n) => {
    return {
      suite: `suite-${n}`,
      backend: 'unshare',
      state: 'failed',
      ...(detail !== undefined && { detail }),
    };
  });
const READY: Testbed = { suite: 'sid', backend: 'qemu', state: 'ready' };

/** As its dispatcher takes it. */
function offer(testbeds: Testbed[]): Testbed[] {
  return parseMessage(LeaseRequest, { ...leaseRequest(), testbeds: offeredTestbeds(testbeds) }).testbeds;
}

it('an ask offers all testbeds, with their details, while it has room for them', () => {
  const testbeds = [...failures(100, 'no mirror'), READY];
  expect(offer(testbeds)).toEqual(testbeds);
});

it('an ask offers all testbeds without their details when it has no room for those', () => {
  const testbeds = failures(999, '\u0001'.repeat(1_000));
  expect(offer([...testbeds, READY])).toEqual([READY, ...failures(999)]);
});

it('an ask offers the testbeds that are ready and some others when there are too many', () => {
  expect(offer([...failures(5_000), READY])).toEqual([READY, ...failures(999)]);
});
