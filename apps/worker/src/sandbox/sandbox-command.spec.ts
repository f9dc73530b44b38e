import { subordinateIds } from './find-run-user';
import type { RunUser } from './run-user';
import { asRunUser, networkCommand, sandboxFields } from './sandbox-command';

const USER: RunUser = {
  name: 'proctor-worker',
  uid: 1001,
  gid: 1002,
  subUids: { start: 100_000, count: 65_536 },
  subGids: { start: 165_536, count: 65_536 },
  switched: true,
  opensTun: false,
};
const PARTS = {
  command: ['true', '$(id)'],
  network: 'private',
  folder: '/w',
  workArea: '/w/a b',
  errors: '/w/errors',
  tmpfsBytes: 1024,
} as const;

/** The fields for the launcher, by name. */
function valuesOf(parts: Partial<Parameters<typeof sandboxFields>[1]> = {}): Record<string, unknown> {
  const fields = sandboxFields(USER, { ...PARTS, command: [...PARTS.command], ...parts });
  const at = fields.indexOf('command');
  const values: Record<string, unknown> = { command: fields.slice(at + 1) };
  for (let place = 0; place < at; place += 2) values[fields[place]!] = fields[place + 1];
  return values;
}

it('the run user and its subordinate ids are mapped to themselves', () => {
  expect(valuesOf()).toEqual({
    cgroup: '',
    errors: '/w/errors',
    input: '/dev/null',
    output: '/dev/null',
    interpreters: '',
    switched: '1',
    name: 'proctor-worker',
    uid: '1001',
    gid: '1002',
    uids: '1001 1001 1\n100000 100000 65536',
    gids: '1002 1002 1\n165536 165536 65536',
    network: 'private',
    prepared: '',
    as_root: '',
    host_name: 'testbed',
    unreachable: '',
    processes_max: '',
    process_bytes_max: '',
    area: '/w/a b',
    bytes: '1024',
    folder: '/w',
    surroundings: 'own',
    view: '',
    command: ['true', '$(id)'],
  });
});

it('the longest path decides what a sandbox shows, one path a line', () => {
  const hidden = ['/srv/a b', '/srv/a b/tests/runs', '/conf'];
  const lines = '+ /conf\n- /conf\n- /srv/a b\n+ /srv/a b/tests\n- /srv/a b/tests/runs';
  expect(valuesOf({ hidden, visible: ['/srv/a b/tests', '/conf'] })).toMatchObject({ view: lines });
});

it('a sandbox shows the whole machine, and has root, limits, a control group and interpreters, only where it is requested', () => {
  const interpreters = [':qemu-arm:M::x:y:/z:F', ':qemu-aarch64:M::x:y:/z:F'];
  const limits = { processesMax: 100, processBytesMax: 4096 };
  const values = valuesOf({
    ...limits,
    wholeMachine: true,
    asRoot: true,
    interpreters,
    cgroup: '/run',
    network: 'host',
  });
  expect(values).toMatchObject({
    surroundings: 'machine',
    as_root: '1',
    host_name: '',
    interpreters: interpreters.join('\n'),
    cgroup: '/run',
    network: 'host',
    processes_max: '100',
    process_bytes_max: '4096',
  });
});

it('a command changes the user only as root, and always dies with the worker', () => {
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

it('the network is locked up where only root may open the tun device', () => {
  expect(networkCommand({ ...USER, opensTun: true })).not.toContain('--enable-sandbox');
  expect(networkCommand(USER)).toContain('--enable-sandbox');
  expect(networkCommand(USER)).toContain('--disable-host-loopback');
});

it.each([
  ['proctor-worker:100000:65536\n', { start: 100_000, count: 65_536 }],
  ['other:1:2\n1001:300000:65536\nproctor-worker:100000:65536\n', { start: 300_000, count: 65_536 }],
  ['proctor-worker2:100000:65536\n', null],
  ['', null],
])('the first subordinate ids are taken from %j', (text, ids) => {
  expect(subordinateIds(text, 'proctor-worker', 1001)).toEqual(ids);
});
