import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Backend } from '@apps/worker/src/testbed/backend';
import { hostArchitecture } from '@test/support/host-architecture';
import {
  BUILD_LIMIT_MS,
  buildImage,
  imageCachePath,
  prepareImage,
  provideImage,
} from '@test/support/worker-images';
import { newMark, processesWith } from './processes-with';
import {
  backendsOn,
  lease,
  leaseOfTree,
  openMachine,
  sourceTree,
  storedLog,
  type TestMachine,
} from './test-machine';

const arch = hostArchitecture();
const signal = new AbortController().signal;
const nothing = () => undefined;

let machine: TestMachine;
prepareImage();
afterEach(async () => machine?.close());

/** What every reason has: what is missing and what helps, or what was tried. */
const A_REASON = /apt-get install|as root|Linux \d|works|needs|sandbox/;

/** Backends of a machine that has none open. */
async function backendsOf(names: string[]): Promise<Backend[]> {
  machine = await openMachine({ backends: [] });
  return backendsOn(machine, names);
}

/** Why the backend cannot be used on this machine, or null. */
async function problemOf(name: string): Promise<string | null> {
  const [backend] = await backendsOf([name]);
  if (!backend) throw new Error(`there is no backend ${name}`);
  const problem = await backend.detect();
  await machine.close();
  return problem;
}

it('backends are detected side by side as they are alone', async () => {
  const backends = await backendsOf(['schroot', 'podman', 'lxc']);
  const alone: (string | null)[] = [];
  for (const backend of backends) alone.push(await backend.detect());
  expect(await Promise.all(backends.map((backend) => backend.detect()))).toEqual(alone);
});

describe.each([
  ['schroot', 'root'],
  ['podman', 'root'],
  ['lxc', 'root isolation-container'],
])('%s', (backend, capabilities) => {
  let problem: string | null;

  beforeAll(async () => {
    problem = await problemOf(backend);
    if (problem === null) await buildImage(backend);
  }, BUILD_LIMIT_MS);

  it('a backend passes a test and leaves nothing, or says what this machine lacks', async () => {
    if (problem !== null) {
      expect(problem).toMatch(A_REASON);
      return;
    }
    machine = await openMachine({ backends: [backend] }, [{ backend, arch }]);
    const mark = newMark();
    const script = `#!/bin/sh
set -e
[ "$(id -u)" = 0 ]
grep -x 'nameserver 10.0.2.3' /etc/resolv.conf
setsid sleep ${mark} >/dev/null 2>&1 &
echo it is inside
`;
    const needs = capabilities.split(' ').map((name) => (name === 'root' ? 'needs-root' : name));
    const tree = await sourceTree(machine.workPath, script, needs.join(', '));
    const result = await machine.runner.run(leaseOfTree(tree, { backend }), nothing, signal);
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

/** An image that is no image of the worker under test. */
async function foreignImage(): Promise<string> {
  const path = await mkdtemp(join(imageCachePath(), 'work-'));
  await chmod(path, 0o755);
  await provideImage(path);
  return path;
}

it('a backend that is described in the configuration is offered once its testbed has passed a test, and brought up to date in each run', async () => {
  const path = await foreignImage();
  const tarball = join(path, `images/unshare/{suite}-{arch}.tar`);
  const backendCommands = {
    own: ['unshare', '--tarball', tarball],
    broken: ['no-such-server', '{suite}'],
    bare: ['null'],
  };
  machine = await openMachine({
    backends: Object.keys(backendCommands),
    backendCommands,
    visiblePaths: [path],
  });
  const { testbeds, builds } = machine.testbeds.currentOffer(arch);
  expect(testbeds).toEqual([{ suite: lease().suite, backend: 'own', state: 'ready' }]);
  expect(builds).toEqual([]);
  expect(() => machine.testbeds.backend('broken')).toThrow('trial ended with exit code 20');
  expect(() => machine.testbeds.backend('bare')).toThrow('trial ended with exit code');
  const tree = await sourceTree(machine.workPath, '#!/bin/sh\nset -e\napt-config dump | grep Error-Mode\n');
  const result = await machine.runner.run(leaseOfTree(tree, { backend: 'own' }), nothing, signal);
  const log = await storedLog(result);
  expect({ verdict: result.verdict, log: result.verdict === 'pass' ? '' : log }).toEqual({
    verdict: 'pass',
    log: '',
  });
  expect(log).toContain('APT::Update::Error-Mode "any";');
  expect(log).toContain('apt-upgrade');
  await rm(path, { recursive: true });
});

it('a backend that is described in the configuration gives its servers room for names of sockets', async () => {
  machine = await openMachine();
  const { code } = await machine.sandboxes.tryCommand('of-a-long-name', {
    command: ['sh', '-c', '[ "${#TMPDIR}" -le 10 ]'],
    network: 'private',
    tmpfsBytes: 1024 * 1024,
  });
  expect(code).toBe(0);
});

it('a backend that is described in the configuration gets an image of ours where it asks for one', async () => {
  const tarball = { tarball: ['unshare', '--tarball', '{image}'] };
  machine = await openMachine({ backends: ['tarball'], backendCommands: tarball });
  machine.testbeds.requestTestbeds(arch, [{ suite: 'trixie', backend: 'tarball' }]);
  const offered = machine.testbeds.currentOffer(arch).testbeds.map(({ suite }) => suite);
  expect(offered).toContain('trixie');
  expect(machine.testbeds.currentOffer(arch).builds).toEqual(['tarball']);
});
