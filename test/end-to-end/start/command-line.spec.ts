import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Machine, project } from '@test/support/command-line';
import type { Finished } from '@test/support/typed-commands';

let machine: Machine;
beforeAll(async () => (machine = await Machine.make()));
afterAll(() => machine.remove());

const USERS = 'proctor user list shows all users\n';

const proctor = (args: string[], input?: string): Promise<Finished> => machine.proctor(args, input);

it('the command proctor says that Proctor has to be started first', async () => {
  const { code, stdout, stderr } = await machine.program(['key', 'list', 'admin']);
  expect({ code, stdout }).toEqual({ code: 75, stdout: '' });
  expect(stderr).toMatch(
    /^proctor: no service is named, and Proctor does not run on .*\nstart it \(npm start\), or /,
  );
  const password = await machine.proctor(
    ['user', 'password', 'admin', '--password-stdin'],
    'a long enough word',
  );
  expect(password.stderr).toMatch(/^proctor: Proctor does not run on .*\. Start it first \(npm start\)/);
});

it('the command proctor ends with 2 when the command line is wrong', async () => {
  expect((await machine.program(['nonsense'])).code).toBe(2);
});

describe('proctor config check', () => {
  const files = (name: string): string => join(machine.folder, name);

  it('proctor config check prints every problem of a folder with its file, line and key', async () => {
    await mkdir(files('broken'));
    const mistakes = ['api:', '  prot: 1', '  host: 1', 'scheduler:', '  retry:', '    delayMs: 0'];
    await writeFile(files('broken/proctor.yaml'), ['suites: [sid]', ...mistakes].join('\n'));
    await writeFile(files('broken/reject-list.yaml'), 'hello:\n  sid: [\n');
    const { code, stdout, stderr } = await proctor(['config', 'check', files('broken')]);
    expect(stdout.replaceAll(files('broken'), '')).toBe(
      '/proctor.yaml:3: api.prot: property prot should not exist (found 1); did you mean port?\n' +
        '/proctor.yaml:4: api.host: it is a host name or an IP address, without scheme and port (found 1)\n' +
        '/proctor.yaml:7: scheduler.retry.delayMs: delayMs must not be less than 1 (found 0)\n' +
        '/reject-list.yaml:3: Flow sequence in block collection must be sufficiently indented and end with a ]\n',
    );
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `proctor: ${files('broken')} has 4 problems\ncorrect what the lines above name, then: proctor config check\n`,
    });
  });

  it('proctor config check has nothing to say of a folder in order, nor of the one that this machine uses', async () => {
    const shipped = await proctor(['config', 'check', join(project, 'config')]);
    expect(shipped).toEqual({ code: 0, stdout: '', stderr: `${join(project, 'config')} is in order\n` });
    expect((await proctor(['config', 'check'])).stderr).toBe(`${files('config')} is in order\n`);
    expect((await proctor(['config', 'check', files('nowhere')])).stdout).toMatch(
      /nowhere: is not a folder\n$/,
    );
  });
});

it('proctor config show prints each value with its origin, and proctor config schema knows every key', async () => {
  const output = await proctor(['config', 'show', join(project, 'config'), '--json']);
  const { settings } = JSON.parse(output.stdout) as {
    settings: { key: string; origin: string; line: number }[];
  };
  const slots = settings.find(({ key }) => key === 'slots');
  expect([slots?.origin, slots?.line]).toEqual(['file', expect.any(Number)]);
  const schema = JSON.parse((await proctor(['config', 'schema', 'worker.yaml'])).stdout) as {
    properties: Record<string, unknown>;
  };
  expect(schema.properties).toHaveProperty('slots');
  expect((await proctor(['config', 'schema', 'proctor.yml'])).code).toBe(2);
});

describe('a running Proctor', () => {
  beforeAll(async () => {
    await machine.start().ready();
  });

  it('the command proctor beside a running Proctor adds users, once each', async () => {
    expect(await proctor(['user', 'add', 'ann'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'user ann added\n',
    });
    const again = await proctor(['user', 'add', 'ann', '--admin']);
    expect(again).toEqual({ code: 1, stdout: '', stderr: `proctor: there is already a user ann\n${USERS}` });
    expect((await proctor(['user', 'add', 'a b'])).code).toBe(2);
  });

  it('the command proctor beside a running Proctor takes passwords from standard input', async () => {
    const added = await machine.program(['user', 'add', 'ben', '--password-stdin'], 'a secret of ben\n');
    expect(added.code).toBe(0);
    expect((await proctor(['user', 'password', 'ben', '--password-stdin'], 'another secret')).code).toBe(0);
    const short = await proctor(['user', 'password', 'ben', '--password-stdin'], 'eleven char');
    expect([short.code, short.stderr]).toEqual([
      2,
      expect.stringContaining('password must have 12 characters or more'),
    ]);
    const empty = await proctor(['user', 'password', 'ben', '--password-stdin'], '\n');
    expect(empty).toEqual({
      code: 1,
      stdout: '',
      stderr: 'proctor: the password is empty\nchoose one that is hard to guess\n',
    });
    const noTerminal = await proctor(['user', 'password', 'ben']);
    expect(noTerminal.stderr).toBe('proctor: there is no terminal on which to ask\nuse --password-stdin\n');
    const unknown = await proctor(['user', 'password', 'ghost', '--password-stdin'], 'x');
    expect(unknown).toEqual({ code: 1, stdout: '', stderr: `proctor: there is no user ghost\n${USERS}` });
  });

  it('the command proctor beside a running Proctor makes a key that opens the api, prints it alone, and revokes it', async () => {
    await proctor(['user', 'add', 'cleo']);
    const { code, stdout } = await proctor(['key', 'create', 'cleo', '--name', 'for a script']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\S{30,}\n$/);
    const status = async (): Promise<number> => {
      const headers = { 'Auth-Key': stdout.trim() };
      return (await fetch(`${machine.url}/api/v1/test?since=0`, { headers })).status;
    };
    expect(await status()).toBe(200);

    const [id, prefix, name] = (await proctor(['key', 'list', 'cleo'])).stdout.trim().split('\t');
    expect(name).toBe('for a script');
    expect(stdout.startsWith(prefix!)).toBe(true);
    expect((await proctor(['key', 'revoke', prefix!])).code).toBe(0);
    expect(await status()).toBe(403);
    expect((await proctor(['key', 'revoke', id!])).code).toBe(1);
    expect(await proctor(['key', 'list', 'cleo'])).toMatchObject({
      ...{ stdout: '', stderr: expect.stringContaining('cleo has no valid keys') },
    });
  });

  it('the command proctor beside a running Proctor is a client of its API', async () => {
    const { code, stdout } = await proctor(['queue']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S+\t\S+\t0\t0\t/)]);
    expect((await proctor(['status'])).stderr).toMatch(new RegExp(`^${machine.url}: 0 waiting, 0 running; `));
  });

  it('the command proctor beside a running Proctor makes no key for an unknown user', async () => {
    const result = await proctor(['key', 'create', 'ghost', '--name', 'x']);
    expect(result).toEqual({ code: 1, stdout: '', stderr: `proctor: there is no user ghost\n${USERS}` });
  });

  it('the command proctor beside a running Proctor has nothing to migrate', async () => {
    expect((await proctor(['migrate'])).stderr).toBe('the database is up to date\n');
  });
});

it('proctor worker check prints what this machine can do', async () => {
  const { code, stdout } = await machine.program(['worker', 'check']);
  expect(stdout).toMatch(/^ {2}unshare +yes +yes /m);
  expect(stdout).toMatch(/^ {2}null +no +no .*\n {2}.*null: .*machineMayBeDestroyed/ms);
  expect(stdout).toMatch(/^ {2}autopkgtest +autopkgtest +\d+\.\d+ +yes$/m);
  expect(stdout).toMatch(/\nThis machine can run tests\.\n$/);
  expect(code).toBe(0);
});

it('proctor worker check ends with 1 when nothing that is configured works', async () => {
  const file = join(machine.folder, 'config/worker.yaml');
  await writeFile(file, "backends: ['null', typo]\n");
  const { code, stdout, stderr } = await machine.program(['worker', 'check']);
  expect(stdout).toContain('typo: there is no backend of this name');
  expect(stdout).toMatch(/could with backends: \[.*unshare/);
  expect(stderr).toBe(
    'proctor: a worker on this machine could not run tests\ndo what the lines above say, then: proctor worker check\n',
  );
  expect(code).toBe(1);
});
