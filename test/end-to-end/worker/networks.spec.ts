import { mkdtemp, readFile, rm, writeFile, chmod } from 'node:fs/promises';
import { openSync, closeSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { METADATA_NETWORKS } from '@proctor/config';
import { Launcher, LAUNCHER_PROGRAM, startPerl } from '@apps/worker/src/sandbox/launcher';
import { Sandboxes } from '@apps/worker/src/sandbox/sandboxes';
import { until } from '@test/support/until';

const LINKS = [
  'sh',
  '-c',
  'readlink /proc/self/ns/net /proc/self/ns/user; ip -o -4 addr; grep Cap /proc/self/status',
];

let workPath: string;
let sandboxes: Sandboxes;
beforeEach(async () => {
  workPath = await mkdtemp(join(tmpdir(), 'proctor-networks-'));
  await chmod(workPath, 0o755);
});
afterEach(async () => {
  await sandboxes.close();
  await rm(workPath, { recursive: true });
});

/** With so many networks kept ready. */
async function open(
  networksReady: number,
  unreachable: string[] = [],
  launcher = new Launcher(),
): Promise<void> {
  const sight = { hidden: [], visible: [] };
  sandboxes = new Sandboxes(workPath, 'runs', sight, { ready: networksReady, unreachable }, launcher);
  await sandboxes.detect();
}

/** What a command says in a sandbox with a network of its own. */
async function outputOf(name: string, command = LINKS, asRoot = false): Promise<string[]> {
  const folder = await sandboxes.createFolder(name);
  const path = join(workPath, `${name}-output`);
  await writeFile(path, '');
  const output = openSync(path, 'w');
  try {
    const use = { command, network: 'private', tmpfsBytes: 1024 * 1024, output, asRoot } as const;
    const sandbox = await sandboxes.start(folder, use);
    expect(await sandbox.ending).toEqual({ code: 0 });
    return (await readFile(path, 'utf8')).trim().split('\n');
  } finally {
    closeSync(output);
    await folder.remove();
  }
}

/** The processes of networks that our launcher has started: ids. */
function networks(): number[] {
  const launchers = processes().filter(({ parent }) => parent === process.pid);
  return processes()
    .filter(({ name, parent }) => name === 'slirp4netns' && launchers.some(({ pid }) => pid === parent))
    .map(({ pid }) => pid);
}

function processes(): { pid: number; name: string; parent: number }[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
        const [, name = '', parent] = /\((.*)\) . (\d+)/.exec(stat) ?? [];
        return [{ pid: Number(entry), name, parent: Number(parent) }];
      } catch {
        // It ended while we looked.
        return [];
      }
    });
}

it('a network that is ready before its sandbox is like one that the sandbox makes, and belongs to it alone', async () => {
  await open(1);
  expect(await until(() => Promise.resolve(networks().length === 1))).toBe(true);
  const [first = 0] = networks();
  const isUsed = () => until(() => Promise.resolve(!networks().includes(first)), 2_000);
  let ready = await outputOf('first');
  // A sandbox that opens before this network is up makes one of its own.
  while (!(await isUsed())) ready = await outputOf('first');
  expect(await until(() => Promise.resolve(networks().length === 1))).toBe(true);
  const second = await outputOf('second');
  expect([ready[0], ready[1]]).not.toContain(second[0]);
  expect(ready[1]).not.toBe(second[1]);
  await sandboxes.drain();
  expect(networks()).toEqual([]);
  const own = await outputOf('third');
  expect(own.slice(2)).toEqual(ready.slice(2));
  expect(own.slice(2).join()).toContain('10.0.2.100/24');
  expect(networks()).toEqual([]);
});

it('a network that was killed while no sandbox had it is made by the sandbox itself', async () => {
  await open(1);
  expect(await until(() => Promise.resolve(networks().length === 1))).toBe(true);
  process.kill(networks()[0]!, 'SIGKILL');
  expect(await until(() => Promise.resolve(networks().length === 0))).toBe(true);
  expect((await outputOf('run')).join()).toContain('10.0.2.100/24');
});

it('networks that are not up yet are ended with the worker', async () => {
  await open(5);
  await sandboxes.drain();
  expect(networks()).toEqual([]);
});

/** Says for each address whether a packet would be sent there, and sends none: a socket of UDP only looks for a route. */
const REACH = `for address; do
  (exec 3>"/dev/udp/$address/9") 2>&1 | grep -om1 'No route to host' || echo tried
done`;

const reach = (addresses: string[]): string[] => ['bash', '-c', REACH, 'bash', ...addresses];

const METADATA = ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16'];
const METADATA_IPV6 = [
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  '::ffff:169.254.169.254',
];

it.each([
  ['that is ready before its sandbox', 1],
  ['that a sandbox makes itself', 0],
])('a network %s leads to no metadata of a cloud', async (_which, networksReady) => {
  await open(networksReady, METADATA_NETWORKS);
  if (networksReady > 0) expect(await until(() => Promise.resolve(networks().length === 1))).toBe(true);
  const addresses = [...METADATA, ...METADATA_IPV6];
  expect(await outputOf('run', reach(addresses))).toEqual(addresses.map(() => 'No route to host'));
  expect(
    await outputOf('neighbours', reach(['169.253.255.255', '169.255.0.0', '100.100.100.201', '10.0.2.3'])),
  ).toEqual(Array(4).fill('tried'));
});

it('the root of a testbed cannot make a way to them', async () => {
  await open(0, METADATA_NETWORKS);
  const script = `
ip route del unreachable 169.254.0.0/16 && exit 1
ip route replace 169.254.169.254 via 10.0.2.2 && exit 1
exec "$@"`;
  const rooted = ['unshare', '--user', '--map-auto', '--map-root-user', '--', 'sh', '-c', script, 'sh'];
  expect(await outputOf('run', [...rooted, ...reach(METADATA)])).toEqual(
    METADATA.map(() => 'No route to host'),
  );
});

it('a network leads everywhere else, and to them where the setting says so', async () => {
  await open(0, ['192.0.2.7/24']);
  expect(await outputOf('run', reach(['192.0.2.1', ...METADATA]))).toEqual([
    'No route to host',
    ...METADATA.map(() => 'tried'),
  ]);
});

describe('root of a testbed', () => {
  /** What root says that may have a network of its own. */
  const rootSaid = (...command: string[]) => outputOf('root', command, true);

  it('does with its network what it likes, and has no right over that of its sandbox', async () => {
    await open(1, METADATA_NETWORKS);
    expect(sandboxes.network).toBe('root of a testbed may change its network');
    const script = `
exec 2>&1
ip -o -4 address show
ip link add of-a-test type veth && ip netns add of-a-test && ip netns exec of-a-test ip -o link
ls /sys/class/net
ip route flush table main && ip address flush dev eth0 && echo flushed`;
    const lines = await rootSaid(
      'unshare',
      '--mount',
      'sh',
      '-c',
      `mount -t tmpfs of-a-test /run && ${script}`,
    );
    expect(lines.map((line) => line.trim().split(/\s+/).slice(0, 4).join(' '))).toEqual([
      '1: lo inet 127.0.0.1/8',
      '100: eth0 inet 10.0.2.130/30',
      expect.stringContaining('1: lo:') as string,
      'eth0',
      'lo',
      'of-a-test',
      'veth0',
      'flushed',
    ]);
  });

  const REWRITING = readFileSync(join(__dirname, 'rewrite-network.py'), 'utf8');

  it.each([
    ['that is ready before its sandbox', 1],
    ['that a sandbox makes itself', 0],
  ])(
    'with a network %s reaches nothing that is kept away, whatever it makes of it',
    async (_which, networksReady) => {
      await open(networksReady, ['10.0.2.3', ...METADATA_NETWORKS]);
      if (networksReady > 0) expect(await until(() => Promise.resolve(networks().length === 1))).toBe(true);
      const service = createServer();
      let connections = 0;
      service.on('connection', () => (connections += 1));
      await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
      const { port } = service.address() as AddressInfo;
      try {
        const lines = await rootSaid('python3', '-c', REWRITING, '10.0.2.3', String(port));
        expect(lines).toHaveLength(13);
        expect(lines.filter((line) => !line.endsWith(' nothing'))).toEqual([]);
        expect(connections).toBe(0);
      } finally {
        service.close();
      }
    },
  );

  it.each([
    ['makes no pairs of interfaces', "'veth'", "'no-such-kind'"],
    [
      'makes no further networks',
      "call('a network', $UNSHARE, $NEW_NETWORK)",
      'die "a network: No space left on device\\n"',
    ],
  ])('has the network of its sandbox where the machine %s', async (_what, words, others) => {
    expect(LAUNCHER_PROGRAM).toContain(words);
    const launcher = new Launcher(() => startPerl(LAUNCHER_PROGRAM.replace(words, others)));
    await open(0, METADATA_NETWORKS, launcher);
    expect(sandboxes.network).toMatch(
      /^root of a testbed may not change its network, which fails tests that do so: a .+: .+[a-z]$/,
    );
    const [, , , ...rest] = await rootSaid(...LINKS);
    expect(rest.join()).toContain('10.0.2.100/24');
    expect(await rootSaid(...reach(METADATA))).toEqual(METADATA.map(() => 'No route to host'));
  });

  it('reaches what is not kept away by the same means', async () => {
    await open(1);
    const lines = await rootSaid('python3', '-c', REWRITING, '10.0.2.3', '9');
    expect(lines.filter((line) => line.endsWith(' reached'))).not.toEqual([]);
  });
});
