import { TESTBEDS_BYTES_MAX, TESTBEDS_MAX, withinBytes, type Testbed } from '@proctor/contracts';

/** Of the list itself. */
const BRACKETS_BYTES = 2;

/** As many testbeds as an ask may name: first their details are left out, then those that are not ready. */
export function toldTestbeds(testbeds: Testbed[]): Testbed[] {
  if (fitting(testbeds).length === testbeds.length) return testbeds;
  const ranks = { ready: 0, absent: 1, building: 1, failed: 1 };
  const short = testbeds.map(({ suite, backend, state }) => ({ suite, backend, state }));
  return fitting(short.sort((a, b) => ranks[a.state] - ranks[b.state]));
}

function fitting(testbeds: Testbed[]): Testbed[] {
  return withinBytes(testbeds.slice(0, TESTBEDS_MAX), TESTBEDS_BYTES_MAX - BRACKETS_BYTES);
}
