import { ACCEPTANCE_PACKAGES, installDebianPackages } from '@proctor/embedded';
import { expectedOf, probeTestbed } from '../end-to-end/worker/testbed-probe';
import { openMachine, type TestMachine } from '../end-to-end/worker/test-machine';
import { hostArchitecture } from '../support/host-architecture';

const MINUTE_MS = 60_000;
jest.setTimeout(60 * MINUTE_MS);

let machine: TestMachine;
beforeAll(async () => {
  const { advice } = await installDebianPackages(ACCEPTANCE_PACKAGES);
  if (advice !== undefined) throw new Error(advice);
});
afterEach(async () => machine?.close());

it.each(['unshare', 'schroot', 'podman', 'lxc', 'qemu'])(
  'a testbed of %s has what those of other services of this kind have',
  async (backend) => {
    machine = await openMachine({ backends: [backend], runTimeoutMs: 30 * MINUTE_MS }, [
      { backend, arch: hostArchitecture() },
    ]);
    expect(await probeTestbed(machine, backend)).toEqual(expectedOf(backend));
  },
);
