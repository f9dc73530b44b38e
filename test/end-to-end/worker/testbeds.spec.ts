import { prepareImage } from '@test/support/worker-images';
import { openMachine, type TestMachine } from './test-machine';
import { expectedOf, probeTestbed } from './testbed-probe';

let machine: TestMachine;
prepareImage();
afterEach(async () => machine?.close());

it('a testbed of unshare has what those of other services of this kind have', async () => {
  machine = await openMachine();
  expect(await probeTestbed(machine, 'unshare')).toEqual(expectedOf('unshare'));
});
