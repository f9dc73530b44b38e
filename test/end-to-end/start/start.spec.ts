import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { identify, isRunning, type ProcessIdentity } from '@libs/embedded/src/process-identity';
import { Browser } from '@test/support/browser';
import { until } from '@test/support/until';
import { Machine, type Start } from '@test/support/command-line';
import { hostArchitecture, hostWorkerName } from '@proctor/config';
import { ownNats } from '@test/contract/bus/nats-server';

const APPS = ['api', 'scheduler', 'worker'];
/** What parts say of others that have no time at the moment. */
const OF_A_BUSY_MACHINE =
  /no longer owns|could not be renewed|no NATS at .* yet|are not ready yet|no answer for/;

let machine: Machine;

async function started(env: NodeJS.ProcessEnv = {}): Promise<Start> {
  const start = machine.start(env);
  await start.ready();
  return start;
}

async function appProcess(name: string): Promise<ProcessIdentity> {
  return JSON.parse(await machine.read(`processes/${name}.json`)) as ProcessIdentity;
}

async function serverProcesses(): Promise<ProcessIdentity[]> {
  const files = ['postgresql/data/postmaster.pid', 'nats/nats-server.pid'];
  const pids = await Promise.all(files.map(async (file) => Number.parseInt(await machine.read(file), 10)));
  return pids.map((pid) => identify(pid)!);
}

async function processes(): Promise<ProcessIdentity[]> {
  return [...(await Promise.all(APPS.map(appProcess))), ...(await serverProcesses())];
}

async function credentials(): Promise<{ seed: string }> {
  return JSON.parse(await machine.read(`secrets/nats-users/${hostWorkerName()}.json`)) as { seed: string };
}

/** What this process may leave, and those that it starts from now on, unless they lower it. */
async function limitCoreDumps(bytes: number): Promise<void> {
  await promisify(execFile)('prlimit', [`--core=${bytes}:`, '--pid', String(process.pid)]);
}

/** The processes that would leave their memory, secrets included, in a core dump. */
async function dumping(running: { pid: number }[]): Promise<number[]> {
  const limits = await Promise.all(running.map(({ pid }) => readFile(`/proc/${pid}/limits`, 'utf8')));
  return running.filter((_, index) => !/^Max core file size +0 /m.test(limits[index]!)).map(({ pid }) => pid);
}

async function modeOf(file: string): Promise<number> {
  return (await stat(join(machine.home, file))).mode & 0o777;
}

describe('a home', () => {
  let first: Start;
  let latest: Start;

  beforeAll(async () => {
    machine = await Machine.make();
    await limitCoreDumps(1024);
    first = latest = await started();
  });
  afterAll(async () => {
    await machine.remove();
    await limitCoreDumps(0);
  });

  /** That of the test before, or another where that has ended. */
  async function running(): Promise<Start> {
    if (latest.hasEnded) latest = await started();
    return latest;
  }

  it('`npm start` starts everything at the first time, and says how to go on', async () => {
    const words = first.lines.join('\n');
    expect(words).toMatch(/^taking nats-server \d\S* .*, which PROCTOR_NATS_SERVER names/m);
    expect(words).toMatch(/^nats-server \d\S* … \d+\.\d s$/m);
    expect(words).toMatch(/^PostgreSQL 18 … \d+\.\d s$/m);
    expect(words).toMatch(/^database migrated \(\d+ migrations?\) … \d+\.\d s$/m);
    for (const name of APPS) expect(words).toMatch(new RegExp(`^${name} … \\d+\\.\\d s$`, 'm'));
    expect(await first.ready()).toBe(`Proctor is ready at ${machine.url}`);
    const key = (await machine.read('admin.key')).trim();
    expect(await first.line(/^Log in/)).toContain(
      `Log in at ${machine.url}/user/login as admin, with the password in ${machine.home}/admin.password`,
    );
    const logIn = new Browser(machine.url).logIn(
      'admin',
      (await machine.read('admin.password')).trim(),
      '/status/',
    );
    expect((await logIn).headers.get('location')).toBe('/status/');
    expect(await first.line(/^The API key/)).toBe(
      `The API key of the user admin is in ${machine.home}/admin.key`,
    );
    expect(words).not.toContain(key);
    expect(await first.line(/^ {2}curl/)).toMatch(
      new RegExp(
        `curl -H "Auth-Key: \\$\\(cat ${machine.home}/admin.key\\)" -X POST ${machine.url}/api/v1/test/\\w+/\\w+/hello$`,
      ),
    );
    const users = ['api', 'scheduler', 'system', hostWorkerName()].map((name) => `nats-users/${name}.json`);
    const secrets = ['postgres', 'database.url', ...users].map((name) => `secrets/${name}`);
    for (const file of ['admin.key', 'admin.password', ...secrets]) {
      expect([file, await modeOf(file)]).toEqual([file, 0o600]);
    }
    const start = await running();
    const all = await processes();
    expect(all.filter(isRunning)).toHaveLength(5);
    expect(await dumping([start, ...all])).toEqual([]);
    expect((await machine.proctor(['worker', 'list', '--registered'])).stdout).toMatch(
      /^\S+\t\w+\tyes\t\S+Z\t\t/m,
    );
  });

  it('`npm start` ends in order', async () => {
    const start = await running();
    const all = await processes();
    expect(await start.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const complaints = start.lines.filter((line) => /\b(WARN|ERROR|FATAL)\b/.test(line));
    expect(complaints.filter((line) => !OF_A_BUSY_MACHINE.test(line))).toEqual([]);
    expect(await machine.read('nats/server.log')).not.toMatch(/Violation/);
    const stops = start.lines
      .filter((line) => line.includes(' stopped … '))
      .map((line) => line.split(' ')[0]);
    expect(stops).toEqual(['worker', 'scheduler', 'api', 'nats', 'postgres']);
    expect(all.filter(isRunning)).toEqual([]);
    expect(await readdir(machine.home)).not.toContain('lock');
  });

  it('`npm start` refuses a second start on the same home and leaves the first alone', async () => {
    const { pid } = await running();
    const before = await processes();
    const second = machine.start();
    expect((await second.exit).code).toBe(1);
    expect(second.lines).toContain(
      `proctor: Proctor is already running on this home (pid ${pid}, ${machine.url})`,
    );
    expect((await processes()).filter(isRunning)).toEqual(before);
  });

  it('`npm start` starts again what dies, and says so', async () => {
    const start = await running();
    const worker = await appProcess('worker');
    process.kill(worker.pid, 'SIGKILL');
    await start.line(/^worker ended with signal SIGKILL; starting it again in 1 s$/);
    await start.line(/^worker runs again$/);
    expect((await appProcess('worker')).pid).not.toBe(worker.pid);
    for (const { pid } of await serverProcesses()) process.kill(pid, 'SIGKILL');
    await start.line(/^postgres runs again$/);
    await start.line(/^nats runs again$/);
    expect((await serverProcesses()).filter(isRunning)).toHaveLength(2);
    expect(await machine.read('nats/accounts.conf')).toContain(`"WORKER_${hostWorkerName()}"`);
    // What it said of their ends is of no other test.
    await start.end('SIGTERM');
  });

  it('nothing is left of a start that was killed but what was stored', async () => {
    const killed = await running();
    expect((await machine.proctor(['user', 'add', 'kept'])).code).toBe(0);
    const { seed } = await credentials();
    const [apps, servers] = [await Promise.all(APPS.map(appProcess)), await serverProcesses()];
    await killed.end('SIGKILL');
    const all = [...apps, ...servers];
    expect(await until(() => Promise.resolve(!all.some(isRunning)))).toBe(true);

    const next = await running();
    expect(next.lines).toContain('the Proctor before this one was killed: ending what it left behind');
    expect(next.lines.join('\n')).toContain(`The API key of the user admin is in ${machine.home}/admin.key`);
    expect(next.lines.join('\n')).not.toContain(await machine.read('admin.key'));
    expect((await machine.proctor(['user', 'add', 'kept'])).stderr).toBe(
      'proctor: there is already a user kept\nproctor user list shows all users\n',
    );
    expect((await credentials()).seed).toBe(seed);
  });
});

describe('a home of its own', () => {
  beforeEach(async () => (machine = await Machine.make()));
  afterEach(() => machine.remove());

  it('`npm start` gives its own worker no more rights than it has been left with', async () => {
    await machine.configure('worker.yaml', 'name: mine\nsuitesAtStart: []\n');
    const first = await started();
    expect((await machine.program(['worker', 'revoke', 'mine'])).code).toBe(0);
    await first.end('SIGTERM');
    const next = await started();
    expect(next.lines).toContain('worker mine is revoked and is not started, until it is added again');
    expect((await machine.proctor(['worker', 'list', '--registered'])).stdout).toMatch(
      /^mine\t\w+\tyes\t\S+Z\t\S+Z\t/m,
    );
  });

  it('`npm start` names PROCTOR_PORT when the port is taken, and starts nothing', async () => {
    const other = createServer().listen(machine.port, '127.0.0.1');
    await once(other, 'listening');
    try {
      const start = machine.start();
      expect((await start.exit).code).toBe(1);
      expect(start.lines.join('\n')).toMatch(
        new RegExp(`port ${machine.port} of 127.0.0.1 is in use .*PROCTOR_PORT=`),
      );
      expect(await readdir(machine.home)).not.toContain('postgresql');
    } finally {
      other.close();
    }
  });

  it('`npm start` leaves nothing running when an app does not start', async () => {
    const broken = join(machine.folder, 'broken.cjs');
    await writeFile(broken, "if (process.argv[1]?.endsWith('api/src/main.js')) process.exit(3);");
    const start = machine.start({ NODE_OPTIONS: `--require=${broken}` });
    expect((await start.exit).code).toBe(1);
    expect(start.lines).toContain('proctor: api ended with exit code 3 before it was ready');
    expect(await runningHere()).toEqual([]);
  });

  it('`npm start` starts no server of its own where the environment names one', async () => {
    const server = await ownNats([{ name: hostWorkerName(), architectures: [hostArchitecture()] }]);
    try {
      const start = await started({
        PROCTOR_DATABASE_URL: process.env.PROCTOR_TEST_DATABASE_URL,
        PROCTOR_NATS_USERS: server.users.folder,
      });
      const files = await readdir(machine.home);
      expect(files).not.toContain('postgresql');
      expect(files).not.toContain('nats');
      await start.end('SIGTERM');
    } finally {
      await server.remove();
    }
  });
});

/** The commands of the processes that have this machine's folder in their command line or environment. */
async function runningHere(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`);
  const startedProcesses = await Promise.all(
    pids.map(async (pid) => {
      const [environment = '', command = ''] = await Promise.all(
        ['environ', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      );
      return (environment + command).includes(machine.folder) ? [command] : [];
    }),
  );
  return startedProcesses.flat();
}
