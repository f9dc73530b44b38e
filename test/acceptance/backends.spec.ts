import { ACCEPTANCE_PACKAGES, installDebianPackages } from '@proctor/embedded';
import { hostArchitecture } from '../support/host-architecture';
import { lease, openMachine, storedLog, type TestMachine } from '../end-to-end/worker/test-machine';

const MINUTE_MS = 60_000;
jest.setTimeout(45 * MINUTE_MS);

const host = hostArchitecture();

let machine: TestMachine;
beforeAll(async () => {
  const { advice } = await installDebianPackages(ACCEPTANCE_PACKAGES);
  if (advice !== undefined) throw new Error(advice);
});
afterEach(async () => machine?.close());

/** An architecture that qemu-user-static executes here. */
const foreign = host === 'arm64' ? 'riscv64' : 'arm64';

it.each([
  ['unshare', host],
  ['schroot', host],
  ['podman', host],
  ['lxc', host],
  ['qemu', host],
  ['unshare', foreign],
])('hello passes on %s, %s', async (backend, arch) => {
  const timeouts = { runTimeoutMs: 30 * MINUTE_MS };
  machine = await openMachine({ backends: [backend], architectures: [arch], ...timeouts }, [
    { backend, arch },
  ]);
  const startMs = performance.now();
  const order = lease({ backend, arch });
  const result = await machine.runner.run(order, () => undefined, new AbortController().signal);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`hello on ${backend}, ${arch}: ${result.verdict} after ${seconds} s`);
  const log = await storedLog(result);
  const { verdict, exitCode } = result;
  expect({ verdict, exitCode, log: exitCode === 0 ? '' : log }).toEqual({
    verdict: 'pass',
    exitCode: 0,
    log: '',
  });
  expect(log).toContain(`testbed dpkg architecture: ${arch}`);
});
