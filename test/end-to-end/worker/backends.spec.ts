import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lookAtMachine } from '../../../apps/worker/src/machine/machine';
import { buildBackends } from '../../../apps/worker/src/testbed/build-backends';
import { hostArchitecture } from '../../support/host-architecture';
import { newMark, processesWith } from './processes-with';
import { lease, openMachine, sourceTree, storedLog, type TestMachine } from './test-machine';

jest.setTimeout(600_000);

const arch = hostArchitecture();
const signal = new AbortController().signal;
const nothing = () => undefined;

let machine: TestMachine;
afterEach(async () => machine?.close());

/** What every reason has: what is missing and what helps, or what was tried. */
const A_REASON = /apt-get install|as root|Linux \d|works|needs|sandbox/;

/** Why the backend cannot be used on this machine, or null. */
async function problemOf(name: string): Promise<string | null> {
  machine = await openMachine({ backends: [] });
  const worker = {
    workPath: machine.workPath,
    architectures: [arch],
    suitesAtStart: [],
    suiteSources: {},
    backends: [name],
    backendCommands: {},
    imageAgeMaxMs: 1,
    machineMayBeDestroyed: false,
  };
  const [backend] = buildBackends({ worker }, await lookAtMachine(worker), nothing);
  if (!backend) throw new Error(`there is no backend ${name}`);
  const problem = await backend.detect();
  await machine.close();
  return problem;
}

describe.each([
  ['schroot', 'root'],
  ['podman', 'root'],
  ['lxc', 'root isolation-container'],
])('%s', (backend, capabilities) => {
  it('passes a test and leaves nothing, or says what this machine lacks', async () => {
    const problem = await problemOf(backend);
    if (problem !== null) {
      expect(problem).toMatch(A_REASON);
      return;
    }
    machine = await openMachine({ backends: [backend] }, [{ backend, arch }]);
    const mark = newMark();
    const script = `#!/bin/sh\nset -e\n[ "$(id -u)" = 0 ]\nsetsid sleep ${mark} >/dev/null 2>&1 &\necho it is inside\n`;
    const needs = capabilities.split(' ').map((name) => (name === 'root' ? 'needs-root' : name));
    const tree = await sourceTree(machine.workPath, script, needs.join(', '));
    const result = await machine.runner.test(tree, lease({ backend }), nothing, signal);
    const log = await storedLog(result);
    const { verdict, exitCode } = result;
    expect({ verdict, exitCode, log: exitCode === 0 ? '' : log }).toEqual({
      verdict: 'pass',
      exitCode: 0,
      log: '',
    });
    expect(log).toContain('it is inside');
    expect(processesWith(mark)).toEqual([]);
    expect(await readdir(join(machine.workPath, 'runs'))).toEqual([]);
  });
});

it('qemu is usable, or says what this machine lacks', async () => {
  expect((await problemOf('qemu')) ?? 'it works').toMatch(A_REASON);
});

describe('a backend that is described in the configuration', () => {
  const backendCommands = { own: ['null'], broken: ['no-such-server', '{suite}'] };

  it('is offered once its testbed has passed a test', async () => {
    machine = await openMachine({ backends: ['own', 'broken'], backendCommands });
    const { testbeds, builds } = machine.testbeds.offer(arch);
    expect(testbeds).toEqual([{ suite: lease().suite, backend: 'own', state: 'ready' }]);
    expect(builds).toEqual([]);
    expect(() => machine.testbeds.backend('broken')).toThrow(/own|trial ended with exit code 20/);
    const stub = lease({ backend: 'own', variant: 'stub', package: 'stub' });
    expect(await machine.runner.run(stub, nothing, signal)).toMatchObject({ verdict: 'pass' });
  });

  it('gets an image of ours where it asks for one', async () => {
    const tarball = { tarball: ['unshare', '--tarball', '{image}'] };
    machine = await openMachine({ backends: ['tarball'], backendCommands: tarball });
    machine.testbeds.wanted(arch, [{ suite: 'trixie', backend: 'tarball' }]);
    const offered = machine.testbeds.offer(arch).testbeds.map(({ suite }) => suite);
    expect(offered).toContain('trixie');
    expect(machine.testbeds.offer(arch).builds).toEqual(['tarball']);
  });
});
