import { ACCEPTANCE_PACKAGES, installDebianPackages } from '@proctor/embedded';
import { expectNothing, expectOnlyWhatIsKnown } from '../end-to-end/worker/sight-expectations';
import type { Sight } from '../end-to-end/worker/sight-origins';
import { SightStage } from '../end-to-end/worker/sight-stage';
import type { TestMachine } from '../end-to-end/worker/test-machine';

jest.setTimeout(3_600_000);

let stage: SightStage;
let machine: TestMachine;

beforeAll(async () => {
  const { advice } = await installDebianPackages(ACCEPTANCE_PACKAGES);
  if (advice !== undefined) throw new Error(advice);
  stage = await SightStage.open();
});
afterEach(async () => machine?.close());
afterAll(() => stage?.close());

/** What was seen, as a row of a table in Markdown. */
async function lookFrom(backend: string): Promise<Sight> {
  machine = await stage.machine(backend);
  const begun = performance.now();
  const seen = await stage.look(machine, backend);
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  const files = seen.paths.filter((path) => path.startsWith('f')).length;
  const secrets = seen.found.filter(([secret]) => secret !== 'shown').length;
  const counts = [seen.paths.length, files, secrets, seen.marked.length, seen.reached.length];
  const sockets = seen.sockets.length + seen.abstract.length;
  const cells = [backend, ...counts, seen.listeners.length, sockets, `${seconds} s`];
  const head =
    'backend, paths, files, secrets found, names found, services reached, listeners, sockets, time';
  console.log(`| ${head.split(', ').join(' | ')} |\n| ${cells.join(' | ')} |`);
  return seen;
}

it.each(['unshare', 'schroot', 'podman', 'lxc', 'qemu'])(
  'a test in a testbed of %s sees its image, the system and nothing of any deployment, and reaches no service',
  async (backend) => {
    const seen = await lookFrom(backend);
    expectNothing(seen, stage, machine);
    await expectOnlyWhatIsKnown(seen, stage, machine, backend);
  },
);

it('a test on the machine itself sees the whole of it, but nothing of any deployment, and reaches no service', async () => {
  const seen = await lookFrom('null');
  expectNothing(seen, stage, machine);
  expect(seen.abstract).toEqual([]);
  expect(seen.found).toEqual([['shown', stage.shown]]);
});
