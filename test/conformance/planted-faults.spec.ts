import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConformanceInstance } from '../support/conformance-instance';
import { CHECKS } from './checks';
import type { Check } from './check';
import type { FaultMaker } from './faults/fault';
import { FaultyProxy } from './faults/faulty-proxy';
import { decisionFaults } from './faults/of-decisions';
import { doorFaults } from './faults/of-the-door';
import { publicDataFaults } from './faults/of-public-data';
import { requestFaults } from './faults/of-requests';
import { resultFaults } from './faults/of-results';
import type { Instance } from './instance';
import { runCheck } from './suite';

jest.setTimeout(320_000);

let service: ConformanceInstance;
let proxy: FaultyProxy;
let instance: Instance;
const key = (): string => instance.options.key;

/** The key that some faults use is known once the service runs; names and checks are known before. */
function faultMakers(withKey: string): FaultMaker[] {
  return [
    ...doorFaults(withKey),
    ...requestFaults,
    ...decisionFaults,
    ...resultFaults(withKey),
    ...publicDataFaults,
  ];
}

const FAULTS = faultMakers('').map((make, index) => ({ ...make(), index }));

function checkOf(id: string): Check {
  const check = CHECKS.find((other) => other.id === id);
  if (!check) throw new Error(`there is no check ${id}`);
  return check;
}

beforeAll(async () => {
  service = await ConformanceInstance.start();
  proxy = await FaultyProxy.start(service.proctor.url);
  instance = service.seenAt(proxy.url);
});
afterAll(async () => {
  await proxy?.stop();
  await service?.stop();
});

describe('no fault', () => {
  const ids = [...new Set(FAULTS.map(({ caughtBy }) => caughtBy))].sort();

  it.each(ids)('the check %s passes without a fault', async (id) => {
    proxy.plant(null);
    await runCheck(checkOf(id), instance);
  });
});

it.each(FAULTS.map((fault) => [fault.name, fault.caughtBy, fault.index] as const))(
  'the planted fault %s is noticed by %s',
  async (_name, id, index) => {
    proxy.plant(faultMakers(key())[index]!());
    // Not by a broken connection or a late answer: the check must have seen something wrong.
    await expect(runCheck(checkOf(id), instance)).rejects.toMatchObject({ name: 'NotConforming' });
  },
);

it('the documentation lists every fault with its check', async () => {
  const page = await readFile(join(__dirname, '../../docs/conformance.md'), 'utf8');
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  for (const { name, caughtBy } of FAULTS) expect(rows).toContainEqual(['', name, caughtBy, '']);
});
