import { subordinateIds } from './find-run-user';
import type { RunUser } from './run-user';
import { asRunUser, networkCommand, sandboxCommand } from './sandbox-command';

const USER: RunUser = {
  name: 'proctor-worker',
  uid: 1001,
  gid: 1002,
  subUids: { start: 100_000, count: 65_536 },
  subGids: { start: 165_536, count: 65_536 },
  switched: true,
  opensTun: false,
};
const ORDER = {
  command: ['true', '$(id)'],
  network: 'private',
  folder: '/w',
  workArea: '/w/a b',
  tmpfsBytes: 1024,
} as const;

it('maps the run user and its subordinate ids to themselves', () => {
  const command = sandboxCommand(USER, { ...ORDER, command: [...ORDER.command] });
  expect(command).toEqual(
    expect.arrayContaining([
      '--map-user=1001',
      '--map-group=1002',
      '--map-users=100000,100000,65536',
      '--map-groups=165536,165536,65536',
      '--net',
    ]),
  );
  expect(command.slice(-8)).toEqual(['/w/a b', '1024', 'private', '/w', 'own', '', 'true', '$(id)']);
  expect(command).not.toContain('prlimit');
});

it('lets the longest path decide what is seen, one path a line', () => {
  const hidden = ['/srv/a b', '/srv/a b/tests/runs', '/conf'];
  const order = { ...ORDER, command: ['true'], hidden, visible: ['/srv/a b/tests', '/conf'] };
  const lines = '+ /conf\n- /conf\n- /srv/a b\n+ /srv/a b/tests\n- /srv/a b/tests/runs';
  expect(sandboxCommand(USER, order).slice(-3)).toEqual(['own', lines, 'true']);
});

it('shows the whole machine only where it is told to', () => {
  const command = sandboxCommand(USER, { ...ORDER, command: ['true'], wholeMachine: true });
  expect(command.slice(-3)).toEqual(['machine', '', 'true']);
});

it('limits processes and their memory within the namespaces, and before anything else', () => {
  const limits = { processesMax: 100, processBytesMax: 4096 };
  const command = sandboxCommand(USER, { ...ORDER, ...limits, command: ['true'] });
  const at = command.indexOf('prlimit');
  expect(command.slice(at - 1, at + 4)).toEqual(['--', 'prlimit', '--nproc=100', '--data=4096', 'perl']);
});

it('shares the network only where it is told to', () => {
  expect(sandboxCommand(USER, { ...ORDER, command: ['true'], network: 'host' })).not.toContain('--net');
});

it('registers interpreters inside, and joins a control group before anything else', () => {
  const interpreters = [':qemu-arm:M::x:y:/z:F', ':qemu-aarch64:M::x:y:/z:F'];
  const joinCgroup = ['sh', '-c', 'join', '/sys/fs/cgroup/run'];
  const command = sandboxCommand(USER, { ...ORDER, command: ['true'], interpreters, joinCgroup });
  expect(command.slice(0, 6)).toEqual([...joinCgroup, 'sh', '-c']);
  expect(command.slice(7, 10)).toEqual(['proctor-interpreters', interpreters.join('\n'), 'setpriv']);
});

it('changes the user only as root, and always dies with the worker', () => {
  expect(asRunUser(USER)).toEqual([
    'setpriv',
    '--reuid=1001',
    '--regid=1002',
    '--init-groups',
    '--pdeathsig=KILL',
    '--',
  ]);
  expect(asRunUser({ ...USER, switched: false })).toEqual(['setpriv', '--pdeathsig=KILL', '--']);
});

it('runs the network as the run user where that may open the tun device, else locked up', () => {
  expect(networkCommand({ ...USER, opensTun: true }, 42).slice(0, 2)).toEqual(['setpriv', '--reuid=1001']);
  const asRoot = networkCommand(USER, 42);
  expect(asRoot[0]).toBe('slirp4netns');
  expect(asRoot).toContain('--enable-sandbox');
  expect(asRoot).toContain('--disable-host-loopback');
  expect(asRoot.slice(-2)).toEqual(['42', 'tap0']);
});

it.each([
  ['proctor-worker:100000:65536\n', { start: 100_000, count: 65_536 }],
  ['other:1:2\n1001:300000:65536\nproctor-worker:100000:65536\n', { start: 300_000, count: 65_536 }],
  ['proctor-worker2:100000:65536\n', null],
  ['', null],
])('takes the first subordinate ids of %j', (text, ids) => {
  expect(subordinateIds(text, 'proctor-worker', 1001)).toEqual(ids);
});
