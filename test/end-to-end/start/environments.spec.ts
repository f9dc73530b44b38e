import { spawn, spawnSync } from 'node:child_process';
import { chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Machine, type Start } from '@test/support/command-line';
import { until } from '@test/support/until';

/** An ordinary user: the machine has only the number of its least user for it. */
const ORDINARY = 65_534;

/** What a person may have in the environment. Nothing of it may change what the service does. */
const VARIABLES = {
  none: {},
  clients: {
    ...{
      PGHOST: 'nowhere.invalid',
      PGPORT: '1',
      PGUSER: 'another',
      PGPASSWORD: 'wrong',
      PGDATABASE: 'none',
    },
    ...{
      PGSSLMODE: 'require',
      PGOPTIONS: '-c no.such=1 -c search_path=nowhere',
      PGDATA: '/nowhere',
      PGTZ: 'x',
    },
    ...{ PGSERVICE: 'other', PGSERVICEFILE: '/nowhere', PGAPPNAME: 'other', PGCLIENTENCODING: 'LATIN1' },
    ...{ NATS_URL: 'nats://nowhere.invalid', NATS_CREDS: '/nowhere', NATS_CONTEXT: 'other' },
    ...{ AWS_PROFILE: 'other', AWS_REGION: 'nowhere', AWS_ENDPOINT_URL: 'http://nowhere.invalid' },
  },
  proxies: {
    ...{
      HTTP_PROXY: 'http://127.0.0.1:1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
      ALL_PROXY: 'socks5://127.0.0.1:1',
    },
    ...{ http_proxy: 'http://127.0.0.1:1', https_proxy: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' },
    ...{
      TMPDIR: '/nowhere at all',
      XDG_CONFIG_HOME: '/nowhere',
      XDG_RUNTIME_DIR: '/nowhere',
      PATH: '/nowhere',
    },
  },
  locale: {
    ...{ LC_ALL: 'tr_TR.UTF-8', LANG: 'C', TZ: 'Asia/Kolkata', FORCE_COLOR: '3', HOME: undefined },
    ...{ NODE_OPTIONS: '--max-old-space-size=300 --no-deprecation', USER: undefined, LOGNAME: undefined },
    ...{ NODE_ENV: 'test', DEBUG: '*', NODE_DEBUG: 'http', GIT_DIR: '/nowhere', LD_PRELOAD: '/nowhere.so' },
    ...{ npm_config_prefix: '/nowhere', npm_config_ignore_scripts: 'true', npm_config_workspace: 'none' },
  },
} satisfies Record<string, NodeJS.ProcessEnv>;

/** Where what `npm start` writes goes to, as a shell says it. */
const OUTPUTS = {
  read: '',
  full: '>/dev/full 2>&1',
  closed: '>&- 2>&-',
  'read-only': '1</dev/null 2</dev/null',
};

/** What an earlier life has left in the home, whichever user it had. */
const LEFT_OVERS = {
  nothing: () => undefined,
  'pids of others': async (home: string) => {
    const { pid } = bystander;
    const identity = JSON.stringify({
      pid,
      startTime: '1',
      bootId: 'of another boot',
      url: 'http://nowhere',
    });
    await put(home, 'postgresql/data/postmaster.pid', `${pid}\n${home}\n1\n1\n\n\n\nready\n`);
    await put(home, 'nats/nats-server.pid', String(pid));
    for (const name of ['lock', 'processes/api.json', 'processes/worker.json'])
      await put(home, name, identity);
  },
  garbage: async (home: string) => {
    for (const name of [
      'postgresql/data/postmaster.pid',
      'nats/nats-server.pid',
      'lock',
      'processes/api.json',
    ])
      await put(home, name, '\0{');
    for (const name of ['nats/nats-server.pid', 'processes/worker.json']) {
      await rm(join(home, name), { force: true });
      await mkdir(join(home, name, 'no file'), { recursive: true });
      const { uid, gid } = await stat(home);
      if (process.getuid?.() === 0) run('chown', '-R', `${uid}:${gid}`, join(home, name));
    }
  },
  'an empty lock and a file of the first process': async (home: string) => {
    await put(home, 'postgresql/data/postmaster.pid', '1\n');
    await put(home, 'lock', '');
  },
  'a home that is closed': (home: string) => {
    run('chmod', '-R', 'go=', home);
    if (process.getuid?.() === 0) run('chown', '-R', '0:0', join(home, 'nats'));
  },
  'a home that is open and has lost its secrets': async (home: string) => {
    run('chmod', '-R', 'a+rwX', home);
    await rm(join(home, 'secrets'), { recursive: true });
  },
} satisfies Record<string, (home: string) => void | Promise<void>>;

/** The table: pairs of all four are among them; what is in a line is true at the same time. Lines of one user share a home. */
const CASES: [
  umask: string,
  user: 'root' | 'ordinary',
  variables: keyof typeof VARIABLES,
  leftOver: keyof typeof LEFT_OVERS,
  output: keyof typeof OUTPUTS,
][] = [
  ['077', 'root', 'clients', 'nothing', 'read'],
  ['027', 'root', 'proxies', 'pids of others', 'full'],
  ['000', 'root', 'locale', 'a home that is closed', 'closed'],
  ['022', 'root', 'none', 'a home that is open and has lost its secrets', 'read-only'],
  ['000', 'ordinary', 'proxies', 'nothing', 'full'],
  ['077', 'ordinary', 'locale', 'pids of others', 'read'],
  ['027', 'ordinary', 'clients', 'a home that is open and has lost its secrets', 'closed'],
  ['077', 'ordinary', 'none', 'garbage', 'full'],
  ['027', 'ordinary', 'locale', 'an empty lock and a file of the first process', 'read'],
];

/** What all users may do with files in a home, whichever user made them. */
const MODES = {
  '.': '711',
  'admin.key': '600',
  'admin.password': '600',
  lock: '644',
  secrets: '700',
  'secrets/postgres': '600',
  'secrets/database.url': '600',
  'secrets/nats-users': '700',
  'secrets/nats-users/api.json': '600',
  'secrets/nats-users/scheduler.json': '600',
  'secrets/nats-users/system.json': '600',
  processes: '755',
  'processes/api.json': '644',
  nats: '711',
  'nats/nats-server.conf': '644',
  'nats/nats-server.pid': '600',
  'nats/accounts.conf': '644',
  'nats/server.log': '600',
  'nats/jetstream': '700',
  postgresql: '711',
  'postgresql/data': '700',
  'postgresql/server.log': '600',
};

/** Some program that has nothing to do with Proctor. */
const bystander = spawn('sleep', ['1000'], {
  stdio: 'ignore',
  uid: process.getuid?.() === 0 ? ORDINARY : undefined,
});
const machines = new Map<string, Machine>();

afterAll(async () => {
  bystander.kill();
  await Promise.all([...machines.values()].map((machine) => machine.remove()));
});

function run(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}

/** As who runs the servers has it, in a home that was used. */
async function put(home: string, name: string, text: string): Promise<void> {
  const path = join(home, name);
  const folder = await stat(join(path, '..')).catch(() => null);
  if (folder === null) return;
  await writeFile(path, text);
  await chown(path, folder.uid, folder.gid);
}

/** A machine for each user. An ordinary user is the one who runs the tests, unless that is root. */
async function machineOf(user: string): Promise<Machine> {
  const existing = machines.get(user);
  if (existing) return existing;
  const machine = await Machine.make();
  machines.set(user, machine);
  if (user === 'ordinary' && process.getuid?.() === 0) await chown(machine.folder, ORDINARY, ORDINARY);
  return machine;
}

/** A shell that begins `npm start` as the case has it. */
function launcher(umask: string, user: string, output: keyof typeof OUTPUTS): string[] {
  const as = user === 'ordinary' && process.getuid?.() === 0 ? ['/usr/bin/setpriv', ...setpriv] : [];
  return [...as, '/bin/sh', '-c', `umask ${umask}; exec "$@" ${OUTPUTS[output]}`, 'sh'];
}

const setpriv = [`--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, '--clear-groups'];

/** Serves, or has ended. */
async function serves(machine: Machine, start: Start): Promise<void> {
  const inTime = await until(async () => {
    if (start.hasEnded) throw new Error(`it has ended:\n${start.lines.join('\n')}`);
    const answer = await fetch(`${machine.url}/health`).catch(() => null);
    // The worker is the last.
    const worker = await stat(join(machine.home, 'processes/worker.json')).catch(() => null);
    return answer?.status === 200 && worker !== null;
  });
  if (!inTime) throw new Error(`it does not serve:\n${start.lines.join('\n')}`);
}

/** The commands of processes that work on the home. */
async function runningOn(home: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map(async (pid) => {
      const [command, environment] = await Promise.all(
        ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      );
      const isIts = command!.includes(home) || environment!.includes(`PROCTOR_HOME=${home}`);
      return isIts && Number(pid) !== process.pid ? [command!.replaceAll('\0', ' ')] : [];
    }),
  );
  return commands.flat();
}

async function modesIn(home: string): Promise<Record<string, string>> {
  const names = Object.keys(MODES);
  const entries = await Promise.all(
    names.map(async (name) => [name, ((await stat(join(home, name))).mode & 0o7777).toString(8)] as const),
  );
  return Object.fromEntries(entries);
}

it.each(CASES)(
  'umask %s, %s, variables: %s, left over: %s, output %s: `npm start` serves, and nothing is left of it when it is killed',
  async (umask, user, variables, leftOver, output) => {
    // Without root there is one user.
    const machine = await machineOf(process.getuid?.() === 0 ? user : 'ordinary');
    await mkdir(machine.home, { recursive: true });
    if (user === 'ordinary' && process.getuid?.() === 0) await chown(machine.home, ORDINARY, ORDINARY);
    await LEFT_OVERS[leftOver](machine.home);
    const start = machine.start(VARIABLES[variables], launcher(umask, user, output));
    await serves(machine, start);
    expect(await modesIn(machine.home)).toEqual(MODES);
    await start.end('SIGKILL');
    const isGone = async (): Promise<boolean> => (await runningOn(machine.home)).length === 0;
    if (!(await until(isGone))) expect(await runningOn(machine.home)).toEqual([]);
    // It was stopped by a signal, and not killed in the middle of its work.
    expect(await readFile(join(machine.home, 'postgresql/server.log'), 'utf8')).toMatch(
      /database system is shut down\n$/,
    );
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  },
);
