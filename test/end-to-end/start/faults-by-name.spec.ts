import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort, type PackagesOutcome, unpackDebianPackage } from '@proctor/embedded';
import { Machine, project } from '@test/support/command-line';

const run = promisify(execFile);

let machine: Machine;
beforeAll(async () => (machine = await Machine.make()));
afterAll(() => machine.remove());

/** What `npm start` says that does not start. */
async function refusal(env: NodeJS.ProcessEnv): Promise<string> {
  const start = machine.start(env);
  expect((await start.exit).code).toBe(1);
  return start.lines.join('\n');
}

it('`npm start` says that the home is a file, that an address is not of this machine, and that a word is no database', async () => {
  const file = join(machine.folder, 'file');
  await writeFile(file, '');
  expect(await refusal({ PROCTOR_HOME: file })).toBe(
    `proctor: PROCTOR_HOME: ${file} is a file, or lies below one; choose a folder`,
  );
  expect(await refusal({ PROCTOR_HOME: join(file, 'home') })).toContain('is a file, or lies below one');
  expect(await refusal({ PROCTOR_HOST: '192.0.2.1' })).toContain(
    'proctor: this machine does not have the address 192.0.2.1: correct api.host, or PROCTOR_HOST',
  );
  expect(await refusal({ PROCTOR_DATABASE_URL: 'localhost' })).toContain(
    'PROCTOR_DATABASE_URL is no postgres://user:password@host:port/database',
  );
});

it('`npm start` says that there is no room for its processes, before Node.js would hang, and that a folder is not its own', async () => {
  // Each is the first thing that would go wrong: nothing is started.
  const failure = await run('prlimit', ['--nproc=20', 'sh', 'scripts/start.sh'], { cwd: project }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^proctor: only 20 processes and threads are allowed here, .* type ulimit -u 200 /,
    ),
  });
  expect(await refusal({ PROCTOR_HOME: machine.folder })).toBe(
    `proctor: PROCTOR_HOME: ${machine.folder} holds other things than Proctor's, such as config; choose a folder of its own, such as ${machine.folder}/proctor`,
  );
  expect(await refusal({ PROCTOR_HOME: '/proc/sys/a' })).toContain(
    'PROCTOR_HOME: /proc/sys/a lies in /proc/sys, where no files can be made',
  );
});

it('`proctor migrate` says that there is no database, or why it cannot be reached', async () => {
  const [none, word, away] = await Promise.all([
    machine.proctor(['migrate']),
    machine.proctor(['migrate'], '', { PROCTOR_DATABASE_URL: 'localhost' }),
    machine.proctor(['migrate'], '', {
      PROCTOR_DATABASE_URL: `postgres://p:s3cret@127.0.0.1:${await findFreePort()}/p`,
    }),
  ]);
  expect(none.stderr).toContain('Start it first (npm start), or name its home in PROCTOR_HOME');
  expect(word.stderr).toContain('PROCTOR_DATABASE_URL is no postgres://user:password@host:port/database');
  expect(away.stderr).toMatch(/^proctor: the database is not available: .*ECONNREFUSED 127\.0\.0\.1/);
  expect(away.stderr).not.toContain('s3cret');
  expect([none.code, word.code, away.code]).toEqual([1, 1, 75]);
});

it.each([['backup', 'backups'], ['restored']])(
  '`proctor %s` names the database that cannot be reached',
  async (...args) => {
    const { code, stderr } = await machine.proctor(args, '', {
      PROCTOR_DATABASE_URL: `postgres://p:s3cret@127.0.0.1:${await findFreePort()}/p`,
    });
    expect(stderr).toMatch(/^proctor: the database is not available: .*ECONNREFUSED 127\.0\.0\.1/);
    expect([code, stderr.includes('s3cret')]).toEqual([75, false]);
    expect(stderr).toContain('proctor doctor looks at everything that it needs');
  },
);

it('commands that work long on a database do not wait forever for one that takes connections and says nothing', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const PROCTOR_DATABASE_URL = `postgres://p:s3cret@127.0.0.1:${(silent.address() as AddressInfo).port}/p`;
  try {
    const results = await Promise.all(
      [['migrate'], ['backup', join(machine.folder, 'backups')], ['restored']].map((args) =>
        machine.proctor(args, '', { PROCTOR_DATABASE_URL }),
      ),
    );
    for (const { code, stderr } of results) {
      expect(stderr).toMatch(/^proctor: the database is not available: .*timeout/);
      expect(code).toBe(75);
    }
  } finally {
    sockets.forEach((socket) => socket.destroy());
    silent.close();
  }
});

/** Runs a program in namespaces of its own, which any user may have. @returns what it said, once it has failed */
async function failure(
  namespaces: string[],
  program: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const options = {
    cwd: project,
    env: { ...process.env, PROCTOR_CONFIG: join(machine.folder, 'config'), ...env },
  };
  const failure = await run('unshare', [...namespaces, ...program], options).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 1 });
  return (failure as { stderr: string }).stderr;
}

it('`npm start` says that a port is too low for an ordinary user, and that a home is another user’s', async () => {
  // Without a map of users, root is an ordinary user too. What it may not write in is like another user's.
  const ordinary = (env: NodeJS.ProcessEnv): Promise<string> =>
    failure(['--user'], [process.execPath, 'bin/proctor.mjs', 'start'], env);
  const [own, closed] = [join(machine.folder, 'own'), join(machine.folder, 'closed')];
  await mkdir(own);
  await mkdir(closed, { mode: 0o500 });
  expect(await ordinary({ PROCTOR_HOME: join(own, 'home'), PROCTOR_PORT: '81' })).toContain(
    'port 81 is below 1024, and only root may listen there: PROCTOR_PORT=8080 npm start',
  );
  expect(await ordinary({ PROCTOR_HOME: join(closed, 'home'), PROCTOR_PORT: '8081' })).toContain(
    `${join(closed, 'home')} belongs to another user, or lies in a folder of another user`,
  );
});

it('`npm start` says that its user has no name, which PostgreSQL asks for', async () => {
  const nameless = ['--user', '--map-user=12345', '--map-group=12345'];
  const stderr = await failure(nameless, [process.execPath, 'bin/proctor.mjs', 'start'], {
    PROCTOR_HOME: join(machine.folder, 'nameless'),
    PROCTOR_PORT: String(await findFreePort()),
    PROCTOR_NATS_SERVER: process.env.PROCTOR_TEST_NATS_SERVER,
    HOME: undefined,
  });
  expect(stderr).toContain(
    'proctor: this user, number 12345, has no name on this machine, and PostgreSQL needs one. As root, type:\n  useradd --uid 12345',
  );
});

it('a command whose answer cannot be written says so, and is done where its reader has read enough', async () => {
  const shell = (script: string) => run('sh', ['-c', script, process.execPath], { cwd: project });
  const schema = '"$0" bin/proctor.mjs config schema proctor.yaml';
  await expect(shell(`${schema} >/dev/full`)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('proctor: standard output cannot be written to: ENOSPC'),
  });
  expect(await shell(`{ ${schema}; echo "ended with $?" >&2; } | head -c 1`)).toEqual({
    stdout: '{',
    stderr: 'ended with 0\n',
  });
});

it('`npm start` says that the disk is read-only, also where more than one folder is missing', async () => {
  const disk = join(machine.folder, 'read-only');
  await mkdir(disk);
  const script = `mount -t tmpfs -o ro,mode=0755 proctor-test ${disk} || exit 2
    unshare --user ${process.execPath} scripts/start.mjs`;
  for (const home of [join(disk, 'home'), join(disk, 'more', 'home')])
    expect(
      await failure(['--map-root-user', '--mount'], ['sh', '-c', script], { PROCTOR_HOME: home }),
    ).toContain(`proctor: ${home}: the disk is read-only; choose another folder with PROCTOR_HOME`);
});

it('`npm start` says that the disk is full before it begins', async () => {
  const small = join(machine.folder, 'small');
  await mkdir(small);
  const script = `mount -t tmpfs -o size=20m,mode=0755 proctor-test ${small} || exit 2
    unshare --user ${process.execPath} scripts/start.mjs
    code=$?
    [ -z "$(ls -A ${small})" ] || exit 3
    exit $code`;
  expect(
    await failure(['--map-root-user', '--mount'], ['sh', '-c', script], {
      PROCTOR_HOME: join(small, 'home'),
    }),
  ).toMatch(
    /^proctor: the disk of \S+ is full: (19|20) MiB are free, and a start needs 300\. Free some of it/,
  );
});

describe('a mirror that refuses', () => {
  let folder: string;
  const before = process.env.APT_CONFIG;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proctor-mirror-'));
    await mkdir(join(folder, 'lists/partial'), { recursive: true });
    const sources = join(folder, 'sources.list');
    await writeFile(sources, `deb http://127.0.0.1:${await findFreePort()}/debian bookworm main\n`);
    const settings = {
      'Dir::Etc::sourcelist': sources,
      'Dir::Etc::sourceparts': '/dev/null',
      'Dir::State::lists': join(folder, 'lists'),
      'Dir::Cache': folder,
      'Acquire::Retries': '0',
      // In a namespace there may be no other user.
      'APT::Sandbox::User': 'root',
      'Debug::NoLocking': 'true',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
    await writeFile(join(folder, 'apt.conf'), lines.join(''));
    process.env.APT_CONFIG = join(folder, 'apt.conf');
  });
  afterAll(async () => {
    if (before === undefined) delete process.env.APT_CONFIG;
    else process.env.APT_CONFIG = before;
    await rm(folder, { recursive: true });
  });

  const AWAY =
    /Debian's mirror cannot be reached.*Failed to fetch http:\/\/127\.0\.0\.1:\d+.*Connection refused/;

  it('a package that is to be unpacked is not called unknown when the mirror is closed', async () => {
    await expect(unpackDebianPackage('nats-server', join(folder, 'unpacked'))).rejects.toThrow(AWAY);
  });

  it('packages that are to be installed are not called unknown when the mirror is closed', async () => {
    const name = 'proctor-test-of-a-closed-mirror';
    // Root of a namespace may call apt, whichever user runs the tests.
    const script = `require('./dist/libs/embedded/src/index.js').installDebianPackages(['${name}'])
      .then((outcome) => console.log(JSON.stringify(outcome)))`;
    const { stdout } = await run('unshare', ['--map-root-user', process.execPath, '-e', script], {
      cwd: project,
      env: process.env,
    });
    const { missing, advice } = JSON.parse(stdout) as PackagesOutcome;
    expect(missing).toEqual([name]);
    expect(advice).toMatch(AWAY);
  });
});
