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
  const startMs = performance.now();
  const sight = await stage.look(machine, backend);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
  const files = sight.paths.filter((path) => path.startsWith('f')).length;
  const secrets = sight.found.filter(([secret]) => secret !== 'shown').length;
  const counts = [sight.paths.length, files, secrets, sight.marked.length, sight.reached.length];
  const sockets = sight.sockets.length + sight.abstract.length;
  const cells = [backend, ...counts, sight.listeners.length, sockets, `${seconds} s`];
  const head =
    'backend, paths, files, secrets found, names found, services reached, listeners, sockets, time';
  console.log(`| ${head.split(', ').join(' | ')} |\n| ${cells.join(' | ')} |`);
  return sight;
}

it.each(['unshare', 'schroot', 'podman', 'lxc', 'qemu'])(
  'a test in a testbed of %s sees its image, the system and nothing of any deployment, and reaches no service',
  async (backend) => {
    const sight = await lookFrom(backend);
    expectNothing(sight, stage, machine);
    await expectOnlyWhatIsKnown(sight, stage, machine, backend);
  },
);

it('a test on the machine itself sees the whole of it, but nothing of any deployment, and reaches no service', async () => {
  const sight = await lookFrom('null');
  expectNothing(sight, stage, machine);
  expect(sight.abstract).toEqual([]);
  expect(sight.found).toEqual([['shown', stage.shown]]);
});
