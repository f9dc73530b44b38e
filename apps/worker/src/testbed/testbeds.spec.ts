import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { Unusable } from '../sandbox/unusable';
import { NotStarted } from '../slot/ports';
import type { Backend } from './backend';
import { Testbeds } from './testbeds';

/** `others`: backends beside `unshare`, by name, and what becomes of their detection. */
function makeTestbeds(others: Record<string, Promise<string | null>> = {}) {
  const clock = new VirtualClock();
  const state = {
    reason: null as string | null,
    executables: ['autopkgtest'],
    changes: 0,
    broken: null as string | null,
    rechecks: 0,
    wanted: [] as string[],
    /** In place of an answer at once. */
    detection: null as Promise<string | null> | null,
    closed: () => undefined as void,
  };
  const lines: string[] = [];
  const backend: Backend = {
    name: 'unshare',
    isolation: 'some',
    records: () => Promise.resolve([]),
    buildsAnySuite: true,
    detect: () => state.detection ?? Promise.resolve(state.reason),
    open: () => Promise.resolve(),
    testbeds: (arch) => [{ suite: `bookworm-${arch}`, backend: 'unshare', state: 'ready' }],
    requestImage: (suite, arch) => void state.wanted.push(`${suite}/${arch}`),
    use: () => Promise.resolve({ upgrade: [], options: [], server: ['unshare'] }),
    close: () => Promise.resolve(state.closed()),
  };
  const variants = { autopkgtest: ['autopkgtest'], git: ['/opt/autopkgtest', '--debug'] };
  const sandboxes = {
    isExecutable: (program: string) => Promise.resolve(state.executables.includes(program)),
    detectAgain: () => {
      state.rechecks += 1;
      return state.broken === null ? Promise.resolve() : Promise.reject(new Unusable(state.broken));
    },
  };
  const log = { log: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(line) };
  const onChange = () => (state.changes += 1);
  const more = Object.entries(others).map(([name, detection]): Backend => {
    return { ...backend, name, detect: () => detection };
  });
  const testbeds = new Testbeds({
    backends: [...more, backend],
    variants,
    sizeClasses: ['big'],
    privateRunsOnly: true,
    sandboxes,
    versionOf: () => Promise.resolve('5.28'),
    clock,
    log,
    onChange,
  });
  return { testbeds, state, lines, clock };
}

it('a worker offers the testbeds that work', async () => {
  const { testbeds } = makeTestbeds();
  await testbeds.open();
  expect(testbeds.currentOffer('amd64')).toEqual({
    testbeds: [{ suite: 'bookworm-amd64', backend: 'unshare', state: 'ready' }],
    variants: ['autopkgtest'],
    builds: ['unshare'],
    sizeClasses: ['big'],
    privateRunsOnly: true,
  });
  expect(testbeds.runner('autopkgtest')).toEqual({ command: ['autopkgtest'], version: '5.28' });
  expect(() => testbeds.runner('git')).toThrow(NotStarted);
  expect(() => testbeds.backend('lxc')).toThrow(NotStarted);
});

it('a worker takes no work when sandboxes can no longer be opened, and some again once they can', async () => {
  const { testbeds, state, lines, clock } = makeTestbeds();
  await testbeds.open();
  await testbeds.recheck('permission denied');
  expect([testbeds.isBroken, testbeds.currentOffer('amd64').problem]).toEqual([false, undefined]);
  state.broken = 'chmod 0666 /dev/net/tun';
  await Promise.all([testbeds.recheck('permission denied'), testbeds.recheck('permission denied')]);
  expect(state.rechecks).toBe(2);
  expect(testbeds.isBroken).toBe(true);
  expect(testbeds.currentOffer('amd64').problem).toBe('no sandbox can be opened: chmod 0666 /dev/net/tun');
  // Looked at 2, 6, 14, 30, 62 and 122 s later.
  await clock.runUntil(61_000);
  expect(state.rechecks).toBe(6);
  await clock.runUntil(121_000);
  expect(state.rechecks).toBe(7);
  state.broken = null;
  const { changes } = state;
  await clock.runUntil(181_000);
  expect(testbeds.currentOffer('amd64')).not.toHaveProperty('problem');
  expect(state.changes).toBe(changes + 1);
  expect(lines.filter((line) => line.includes('no sandbox can be opened: '))).toHaveLength(1);
  await testbeds.close();
});

it('a worker looks again soon when a sandbox cannot be opened for a short while', async () => {
  const { testbeds, state, clock } = makeTestbeds();
  await testbeds.open();
  state.broken = 'no space left on device';
  await testbeds.recheck('no space left on device');
  await clock.runUntil(5_000);
  state.broken = null;
  await clock.runUntil(7_000);
  expect(testbeds.isBroken).toBe(false);
  await testbeds.close();
});

it('a worker says what is missing, and finds within a minute that it is there', async () => {
  const { testbeds, state, lines, clock } = makeTestbeds();
  state.reason = 'mmdebstrap missing: apt-get install mmdebstrap';
  await testbeds.open();
  expect(testbeds.currentOffer('amd64')).toEqual({
    testbeds: [],
    variants: [],
    builds: [],
    sizeClasses: ['big'],
    privateRunsOnly: true,
    problem: 'no usable backend: unshare: mmdebstrap missing: apt-get install mmdebstrap',
  });
  await clock.runUntil(120_000);
  expect(lines).toHaveLength(1);
  expect(state.changes).toBe(0);
  state.reason = null;
  await clock.runUntil(180_000);
  expect(testbeds.currentOffer('amd64')).not.toHaveProperty('problem');
  expect(state.changes).toBe(1);
});

it('a worker has a problem in words that an ask may have, whatever was said', async () => {
  const { testbeds, state } = makeTestbeds();
  state.reason = `two\nlines\0${'😀'.repeat(1_000)}`;
  await testbeds.open();
  const { problem = '' } = testbeds.currentOffer('amd64');
  expect(problem).toMatch(/^no usable backend: unshare: two lines (😀)+\ufffd?…$/u);
  expect(problem).toHaveLength(1_000);
});

it('a worker has a problem when no variant can be executed', async () => {
  const { testbeds, state, clock } = makeTestbeds();
  state.executables = [];
  await testbeds.open();
  expect(testbeds.currentOffer('amd64').problem).toBe(
    'no variant can be executed: autopkgtest (autopkgtest), git (/opt/autopkgtest)',
  );
  state.executables = ['/opt/autopkgtest'];
  await clock.runUntil(60_000);
  expect(testbeds.currentOffer('amd64').variants).toEqual(['git']);
});

it('a worker offers the testbeds that work while another backend takes long', async () => {
  let answer = (_reason: string | null): void => undefined;
  const slow = new Promise<string | null>((resolve) => (answer = resolve));
  const { testbeds, state, clock } = makeTestbeds({ lab: slow });
  const opened = testbeds.open();
  await clock.runUntil(1);
  expect(testbeds.currentOffer('amd64')).toMatchObject({ builds: ['unshare'], variants: ['autopkgtest'] });
  expect(state.changes).toBe(1);
  expect(() => testbeds.backend('lab')).toThrow('unknown');
  answer(null);
  await opened;
  expect(testbeds.backend('lab').name).toBe('lab');
  expect(state.changes).toBe(2);
});

it('a worker passes on what is wanted, unless its name could be anything', async () => {
  const { testbeds, state } = makeTestbeds();
  await testbeds.open();
  testbeds.requestTestbeds('amd64', [
    { suite: 'trixie', backend: 'unshare' },
    { suite: '../etc', backend: 'unshare' },
    { suite: 'sid', backend: 'lxc' },
  ]);
  expect(state.wanted).toEqual(['trixie/amd64']);
});

it('a worker that is closed does not wait for a detection that takes long', async () => {
  const { testbeds, state, lines } = makeTestbeds();
  state.detection = new Promise((_resolve, reject) => {
    state.closed = () => reject(new Error('closed'));
  });
  const opened = testbeds.open();
  await testbeds.close();
  await opened;
  expect(lines).toEqual([]);
});
