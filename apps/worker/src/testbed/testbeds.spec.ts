import { VirtualClock } from '../../../../test/simulation/world/virtual-clock';
import { NotStarted } from '../slot/ports';
import type { Backend } from './backend';
import { Testbeds } from './testbeds';

function makeTestbeds() {
  const clock = new VirtualClock();
  const state = {
    reason: null as string | null,
    executables: ['autopkgtest'],
    changes: 0,
    wanted: [] as string[],
  };
  const said: string[] = [];
  const backend: Backend = {
    name: 'unshare',
    isolation: 'some',
    records: () => Promise.resolve([]),
    buildsAnySuite: true,
    detect: () => Promise.resolve(state.reason),
    open: () => Promise.resolve(),
    testbeds: (arch) => [{ suite: `bookworm-${arch}`, backend: 'unshare', state: 'ready' }],
    want: (suite, arch) => void state.wanted.push(`${suite}/${arch}`),
    use: () => Promise.resolve({ upgrade: [], options: [], server: ['unshare'] }),
    close: () => Promise.resolve(),
  };
  const variants = { autopkgtest: ['autopkgtest'], git: ['/opt/autopkgtest', '--debug'] };
  const sandboxes = {
    isExecutable: (program: string) => Promise.resolve(state.executables.includes(program)),
  };
  const log = { log: (line: string) => void said.push(line), warn: (line: string) => void said.push(line) };
  const changed = () => (state.changes += 1);
  const testbeds = new Testbeds(
    [backend],
    variants,
    ['big'],
    sandboxes,
    () => Promise.resolve('5.28'),
    clock,
    log,
    changed,
  );
  return { testbeds, state, said, clock };
}

it('offers what works', async () => {
  const { testbeds } = makeTestbeds();
  await testbeds.open();
  expect(testbeds.offer('amd64')).toEqual({
    testbeds: [{ suite: 'bookworm-amd64', backend: 'unshare', state: 'ready' }],
    variants: ['autopkgtest'],
    builds: ['unshare'],
    sizeClasses: ['big'],
  });
  expect(testbeds.runner('autopkgtest')).toEqual({ command: ['autopkgtest'], version: '5.28' });
  expect(() => testbeds.runner('git')).toThrow(NotStarted);
  expect(() => testbeds.backend('lxc')).toThrow(NotStarted);
});

it('says what is missing, and notices within a minute that it is there', async () => {
  const { testbeds, state, said, clock } = makeTestbeds();
  state.reason = 'mmdebstrap missing: apt-get install mmdebstrap';
  await testbeds.open();
  expect(testbeds.offer('amd64')).toEqual({
    testbeds: [],
    variants: [],
    builds: [],
    sizeClasses: ['big'],
    problem: 'no usable backend: unshare: mmdebstrap missing: apt-get install mmdebstrap',
  });
  await clock.runUntil(120_000);
  expect(said).toHaveLength(1);
  expect(state.changes).toBe(0);
  state.reason = null;
  await clock.runUntil(180_000);
  expect(testbeds.offer('amd64')).not.toHaveProperty('problem');
  expect(state.changes).toBe(1);
});

it('has a problem when no variant can be executed', async () => {
  const { testbeds, state, clock } = makeTestbeds();
  state.executables = [];
  await testbeds.open();
  expect(testbeds.offer('amd64').problem).toBe(
    'no variant can be executed: autopkgtest (autopkgtest), git (/opt/autopkgtest)',
  );
  state.executables = ['/opt/autopkgtest'];
  await clock.runUntil(60_000);
  expect(testbeds.offer('amd64').variants).toEqual(['git']);
});

it('passes on what is wanted, unless its name could be anything', async () => {
  const { testbeds, state } = makeTestbeds();
  await testbeds.open();
  testbeds.wanted('amd64', [
    { suite: 'trixie', backend: 'unshare' },
    { suite: '../etc', backend: 'unshare' },
    { suite: 'sid', backend: 'lxc' },
  ]);
  expect(state.wanted).toEqual(['trixie/amd64']);
});
