import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import type { Credentials } from '@proctor/bus';
import { deploymentPaths } from '@proctor/config';
import { startProctor, type RunningProctor } from '../../support/proctor';
import { imageCachePath } from '../../support/worker-images';
import { hostArchitecture } from '../../support/host-architecture';
import { backendsOn, lease, openMachine, sourceTree, storedLog, type TestMachine } from './test-machine';

jest.setTimeout(600_000);

const MARK = 'planted-name';
const WORKER_CREDENTIALS = 'credentials/w1.json';
const ABSTRACT = `proctor-${process.pid}`;
/** What stands in the environment of each process of a run: ours, autopkgtest's, and what a login shell sets. */
const VARIABLES = [
  /^(PATH|LANG|HOME|TMPDIR|PWD|OLDPWD|SHLVL|_|LOGNAME|USER|SHELL|TERM|DEBIAN_FRONTEND|LC_[A-Z]+|MAIL)$/,
  /^(ADT|AUTOPKGTEST|DEB|DPKG|XDG|SUDO|SCHROOT|container|PODMAN|LXC|SYSTEMD)[A-Za-z_]*$/,
  // A container's own: podman's, and what systemd.exec(5) lists.
  /^(HOSTNAME|LISTEN_[A-Z]+|NOTIFY_SOCKET|WATCHDOG_[A-Z]+|[A-Z]+_DIRECTORY)$/,
  /^(http_proxy|no_proxy|PYTHON[A-Z]*|INVOCATION_ID|JOURNAL_STREAM|MEMORY_PRESSURE_[A-Z]+)$/,
];
/** What a container has in its sandbox: its systemd's, lxc's and podman's sockets, and those that Linux itself has named. */
const OWN_SOCKETS = [
  /^\/run\/(dbus|systemd|user)\//,
  /^@\/var\/lib\/lxc\/autopkgtest-lxc-/,
  /^\/proc\/self\/fd\/\d+\/attach$/,
  /^@[0-9a-f]{5}$/,
];
/** Folders that hold files in a sandbox. */
const SEEN = ['bin', 'dev', 'etc', 'opt', 'proc', 'run', 'sbin', 'sys', 'tmp', 'usr', 'var', 'mnt'];

/** What look-around.py tells. */
interface Seen {
  found: [secret: string, path: string][];
  marked: string[];
  sockets: string[];
  entries: Record<string, number>;
  variables: string[];
  abstract: string[];
  listeners: string[];
  reached: [string, number][];
}

const secrets: Record<string, string> = {
  configuration: 'deb https://mirror:pass-of-a-source@mirror.example/debian',
  credentials: 'the-seed-of-a-workers-key',
  users: 'the-seed-of-the-apis-key',
  home: 'a-secret-of-the-home',
  otherRun: 'the-output-of-another-run',
  result: 'the-log-of-another-run',
  elsewhere: 'a-file-that-everybody-may-read',
  environment: 'a-variable-of-the-worker',
  shown: 'a-file-that-was-shown',
};

let proctor: RunningProctor;
let stage: string;
let machine: TestMachine;
let server: Server;
/** The deployment's users of NATS, its worker's first. */
let users: Credentials[];

async function plant(path: string, secret: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${secret}\n`, { mode: 0o644 });
}

beforeAll(async () => {
  await mkdir(imageCachePath(), { recursive: true });
  stage = await mkdtemp(join(imageCachePath(), 'stage-'));
  await chmod(stage, 0o755);
  const files = {
    [`conf/apt-sources-${MARK}.yaml`]: secrets['configuration'],
    [WORKER_CREDENTIALS]: secrets['credentials'],
    [`users/api-${MARK}.json`]: secrets['users'],
    [`home/${MARK}`]: secrets['home'],
    shown: secrets['shown'],
  };
  for (const [name, secret] of Object.entries(files)) await plant(join(stage, name), secret ?? '');
  process.env['PROCTOR_PLANTED'] = secrets['environment'];
  proctor = await startProctor({ apps: ['api', 'scheduler'] });
  const names = [proctor.users.workers[0]?.name ?? '', 'api', 'scheduler'];
  users = await Promise.all(names.map((name) => proctor.users.read(name)));
  server = createServer();
  await new Promise<void>((resolve) => server.listen({ path: `\0${ABSTRACT}` }, resolve));
});

afterEach(async () => machine?.close());

afterAll(async () => {
  server?.close();
  delete process.env['PROCTOR_PLANTED'];
  await proctor?.stop();
  if (stage) await rm(stage, { recursive: true, force: true });
});

/** What a sandbox of this machine hides of the planted deployment and of the one that runs. */
function hidden(): string[] {
  const planted = deploymentPaths(
    { home: join(stage, 'home') },
    {
      PROCTOR_CONFIG: join(stage, 'conf'),
      PROCTOR_NATS_CREDENTIALS: join(stage, WORKER_CREDENTIALS),
      PROCTOR_NATS_USERS: join(stage, 'users'),
    },
  );
  return [...planted, ...deploymentPaths({ home: proctor.home.path }, {})];
}

/** The addresses of the deployment's services as a test could guess them. */
function guesses(): { hosts: string[]; ports: number[] } {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const hosts = addresses.map(({ address, scopeid }) => (scopeid ? `${address}%tap0` : address));
  const urls = [proctor.url, users[0]?.url ?? '', proctor.databaseUrl];
  return {
    hosts: [...new Set(['127.0.0.1', '::1', '0.0.0.0', '10.0.2.2', '10.0.2.3', 'fd00::2', ...hosts])],
    ports: urls.map((url) => Number(new URL(url).port)),
  };
}

async function lookAround(backend: string): Promise<Seen> {
  await plant(join(machine.workPath, `runs/99-1/out/log-${MARK}`), secrets['otherRun'] ?? '');
  await plant(join(machine.workPath, `results/98-1/log-${MARK}`), secrets['result'] ?? '');
  const all = {
    ...secrets,
    apiKey: proctor.adminKey,
    ...Object.fromEntries(users.map(({ name, seed }) => [`seed of ${name}`, seed])),
    databasePassword: new URL(proctor.databaseUrl).password,
  };
  const orders = {
    secrets: all,
    mark: MARK,
    abstract: [ABSTRACT],
    // It holds what a worker needs to be let in, and has nobody to show it to.
    credentials: JSON.stringify(users[0]),
    ...guesses(),
  };
  const script = await readFile(join(__dirname, 'look-around.py'), 'utf8');
  const text = script.replace('@ORDERS@', Buffer.from(JSON.stringify(orders)).toString('hex'));
  const tree = await sourceTree(machine.workPath, text, 'needs-root');
  const never = new AbortController().signal;
  const result = await machine.runner.test(tree, lease({ backend }), () => undefined, never);
  const log = await storedLog(result);
  const line = /^SEEN (.*)$/m.exec(log)?.[1];
  if (result.verdict !== 'pass' || line === undefined) throw new Error(`${result.message}\n${log}`);
  return JSON.parse(line) as Seen;
}

const arch = hostArchitecture();

describe.each(['unshare', 'schroot', 'podman', 'lxc'])('a test in a testbed of %s', (backend) => {
  it('sees nothing of the deployment and reaches none of its services, once it has left it', async () => {
    machine = await openMachine({ backends: [] });
    const [tried] = await backendsOn(machine, [backend]);
    const problem = (await tried?.detect()) ?? null;
    await machine.close();
    if (problem !== null) {
      expect(problem).toMatch(/apt-get install|as root|Linux \d|works|needs|sandbox/);
      return;
    }
    const variants = { autopkgtest: ['autopkgtest'] };
    const overrides = { backends: [backend], variants, visiblePaths: [stage] };
    machine = await openMachine(overrides, [{ backend, arch }], hidden());
    const seen = await lookAround(backend);
    expectNothing(seen);
    if (backend === 'unshare' || backend === 'schroot') expectOnlyTheSystem(seen);
    if (backend !== 'unshare') return;
    expect([...seen.sockets, ...seen.abstract]).toEqual([]);
    // What is to be seen is found: the look reaches beyond the testbed.
    expect(seen.found).toEqual([['shown', join(stage, 'shown')]]);
  });
});

it('has the real credentials and addresses in its hands, which let this machine itself in', async () => {
  const [worker] = users;
  const authenticator = nkeyAuthenticator(Buffer.from(worker!.seed));
  const connection = await connect({ servers: worker!.url, authenticator });
  await connection.close();
  for (const port of guesses().ports) {
    const socket = createConnection({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    socket.destroy();
  }
  const socket = createConnection({ path: `\0${ABSTRACT}` });
  await once(socket, 'connect');
  socket.destroy();
});

it('does not see credentials that take the place of others while a test goes on', async () => {
  const path = join(stage, WORKER_CREDENTIALS);
  machine = await openMachine({ visiblePaths: [stage] }, undefined, hidden());
  const folder = await machine.sandboxes.createFolder('rotation');
  const script = 'until [ -s "$1" ]; do sleep 0.1; done; cat "$3" >&2 && ! cat "$2" >&2';
  const command = ['sh', '-c', script, 'sh', join(folder.output, 'go'), path, join(stage, 'shown')];
  const sandbox = await machine.sandboxes.start(folder, {
    command,
    network: 'private',
    tmpfsBytes: 1024 * 1024,
  });
  await plant(`${path}.new`, secrets['credentials'] ?? '');
  await rename(`${path}.new`, path);
  await writeFile(join(folder.output, 'go'), 'go', { mode: 0o644 });
  expect(await sandbox.ended).toEqual({ code: 0 });
  expect(await readFile(folder.errors, 'utf8')).toMatch(/^a-file-that-was-shown\ncat: .*\n$/);
});

function expectNothing(seen: Seen): void {
  expect(seen.found.filter(([secret]) => secret !== 'shown')).toEqual([]);
  expect(seen.marked).toEqual([]);
  expect(seen.reached).toEqual([]);
  expect(seen.listeners).toEqual([]);
  const sockets = [...seen.abstract, ...seen.sockets];
  expect(sockets.filter((name) => !OWN_SOCKETS.some((known) => known.test(name)))).toEqual([]);
  expect(seen.variables.filter((name) => !VARIABLES.some((known) => known.test(name)))).toEqual([]);
}

/** Of the machine's root folder: only a test that has left its testbed tells it. */
function expectOnlyTheSystem({ entries }: Seen): void {
  const tops = Object.keys(entries).map((path) => path.slice(1));
  expect(tops.filter((name) => !SEEN.includes(name) && !name.startsWith('lib'))).toEqual([]);
}
