import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenDatabase, Submitter } from '@proctor/database';
import { runRequest } from '@test/support/run-request';
import { type RunningApi, startApi } from '@test/support/api';
import { Machine } from '@test/support/command-line';
import type { Finished } from '@test/support/typed-commands';

let machine: Machine;
let api: RunningApi;
let database: OpenDatabase;
let submitter: Submitter;
beforeAll(async () => {
  machine = await Machine.make();
  await mkdir(machine.home);
  api = await startApi({ server: { suites: ['sid', 'trixie'], architectures: ['amd64'] } });
  database = api.database;
  submitter = (await database.apiKeys.authenticate(api.keys.alice))!;
});
afterAll(async () => {
  await api?.stop();
  await machine?.remove();
});

/** On the machine of the service, without the address of another. */
const env = () => ({ PROCTOR_DATABASE_URL: api.databaseUrl, PROCTOR_URL: api.url });
const proctor = (...args: string[]): Promise<Finished> => machine.proctor(args, '', env());
/** As a process of its own. */
const program = (...args: string[]): Promise<Finished> => machine.program(args, '', env());

async function submit(name: string, trigger: string | null = null): Promise<number> {
  const request = runRequest({ package: name, suite: 'sid', trigger });
  const [runId] = await database.submissions.submit([request], submitter);
  return runId!;
}

const DECISIONS = 'proctor decisions shows what is paused and drained\n';
const STANDINGS = 'proctor worker list shows the workers, and how each stands\n';

describe('the first administrator', () => {
  const NONE =
    'there is no administrator yet who could own a key\ncreate one: proctor user add admin --admin; or ';

  it('the first administrator is made in the database, and gets a key that is kept in the home', async () => {
    const refusal = { code: 4, stdout: '', stderr: expect.stringContaining(NONE) };
    expect(await proctor('pause', '--reason', 'x')).toEqual(refusal);
    expect(await proctor('user', 'add', 'ann')).toEqual(refusal);
    const added = { code: 0, stdout: '', stderr: 'user zoe added\n' };
    expect(await proctor('user', 'add', 'zoe', '--admin')).toEqual(added);
    const file = join(machine.home, 'admin.key');
    expect(await proctor('decisions')).toEqual({
      code: 0,
      stdout: '',
      stderr: `created a key of zoe for the commands of this machine; it is in ${file}\nnothing is paused or drained\n`,
    });
    expect(await proctor('user', 'add', 'admin', '--admin')).toEqual({
      ...added,
      stderr: 'user admin added\n',
    });
    expect(await database.apiKeys.list('zoe')).toHaveLength(1);
  });

  it('another key is made when that one is revoked, of the user admin where there is one', async () => {
    expect(await proctor('user', 'admin', 'zoe', '--dismiss')).toMatchObject({ code: 0 });
    expect(await proctor('pause', '--reason', 'x')).toMatchObject({ code: 4 });
    const [key] = await database.apiKeys.list('zoe');
    await database.apiKeys.revoke(key!.id, undefined, { userId: null, userName: 'test' });
    expect((await proctor('decisions')).stderr).toMatch(/^created a key of admin for /);
  });

  it('a password that is lost is set on the machine, whatever became of the keys', async () => {
    const set = ['user', 'password', 'admin', '--password-stdin'];
    const away = { ...env(), PROCTOR_URL: 'http://127.0.0.1:1' };
    expect(await machine.proctor(set, 'another long secret', away)).toMatchObject({ code: 0 });
    expect(await database.users.hasPassword('admin')).toBe(true);
    const output = await machine.proctor(['key', 'create', 'admin', '--name', 'x'], '', away);
    expect(await database.apiKeys.authenticate(output.stdout.trim())).toMatchObject({ userName: 'admin' });
  });

  it('a service that is away is named with what to type', async () => {
    const away = { ...env(), PROCTOR_URL: 'http://127.0.0.1:1' };
    expect(await machine.proctor(['pause', '--reason', 'x'], '', away)).toMatchObject({
      code: 75,
      stderr: expect.stringMatching(
        /^proctor: http:\/\/127.0.0.1:1 cannot be reached: .*\nstart it \(npm start, .*\)\. The address is from PROCTOR_URL and /,
      ),
    });
  });
});

it('`proctor run cancel` ends the unfinished runs of all users that match everything said', async () => {
  const runs = [await submit('hello', 'x/1'), await submit('hello', 'x/1')];
  const other = await submit('hello', 'x/2');
  const selectors = ['--package', 'hello', '--trigger', 'x/1', '--suite', 'sid', '--arch', 'amd64', '--yes'];
  expect(await program('run', 'cancel', ...selectors, '--reason', 'superseded')).toEqual({
    code: 0,
    stdout: runs.map((runId) => `${runId}\n`).join(''),
    stderr: '2 runs were cancelled\n',
  });
  expect(await database.results.find(runs[0]!)).toMatchObject({ message: 'cancelled by admin: superseded' });
  expect(await proctor('run', 'cancel', String(runs[0]), String(other))).toEqual({
    code: 1,
    stdout: `${other}\n`,
    stderr: expect.stringContaining(`1 not cancelled; run ${runs[0]}: it has finished\n`),
  });
  expect(await proctor('run', 'cancel', '--package', 'hello', '--yes')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('no unfinished run matches\n'),
  });
});

it('`proctor run priority` gives waiting runs another one', async () => {
  const runId = await submit('urgent');
  const change = ['run', 'priority', '9', String(runId), '--reason', 'security'];
  expect(await proctor(...change)).toEqual({
    code: 0,
    stdout: `${runId}\n`,
    stderr: '1 run was given priority 9\n',
  });
  expect(await database.results.find(runId)).toMatchObject({ priority: 9 });
  expect((await proctor(...change)).stderr).toContain(`run ${runId}: it has that priority\n`);
});

it('pauses and drains are made, listed and ended by `proctor`', async () => {
  const codeAndOutput = async (...args: string[]) => {
    const { code, stderr } = await proctor(...args);
    return [code, stderr];
  };
  expect(await codeAndOutput('pause', '--suite', 'sid', '--reason', 'the mirror\nis away')).toEqual([
    0,
    'suite sid on every architecture is paused by admin: the mirror\nis away\n',
  ]);
  expect(await codeAndOutput('pause', '--reason', 'all')).toEqual([
    0,
    'everything is paused by admin: all\n',
  ]);
  expect(await codeAndOutput('worker', 'drain', 'worker-1', '--reason', 'new disks')).toEqual([
    0,
    'worker worker-1 is drained by admin: new disks\n',
  ]);
  const time = expect.stringMatching(/^\d{4}-.*Z$/);
  const { stdout } = await proctor('decisions');
  expect(stdout.split('\n').map((line) => line.split('\t'))).toEqual([
    ['pause', 'suite sid on every architecture', 'admin', time, '', 'the mirror is away'],
    ['pause', 'everything', 'admin', time, '', 'all'],
    ['drain', 'worker worker-1', 'admin', time, '', 'new disks'],
    [''],
  ]);
  expect(await codeAndOutput('resume', '--suite', 'sid', '--arch', 'amd64')).toEqual([
    1,
    `proctor: queue sid/amd64 is not paused\n${DECISIONS}`,
  ]);
  expect(await codeAndOutput('resume', '--suite', 'sid')).toEqual([
    0,
    'suite sid on every architecture goes on\n',
  ]);
  expect(await codeAndOutput('resume')).toEqual([0, 'everything goes on\n']);
  expect(await codeAndOutput('worker', 'resume', 'worker-1')).toEqual([
    0,
    'worker worker-1 gets runs again\n',
  ]);
  expect(await codeAndOutput('worker', 'resume', 'worker-1')).toEqual([
    1,
    `proctor: worker worker-1 is not drained\n${DECISIONS}`,
  ]);
  expect(await proctor('decisions')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'nothing is paused or drained\n',
  });
});

const trusted = async (...args: string[]) => {
  const { code, stdout, stderr } = await proctor('worker', 'trust', ...args);
  return [code, stdout, stderr];
};

it('`proctor worker trust` is an order to the dispatchers that think the worker is not sound', async () => {
  const ownership = (await database.ownershipRegister.claim('amd64', 'scheduler-1', 60_000))!;
  const judge = (standing: 'slowed' | 'sound') =>
    database.journal.commit('amd64', ownership.epoch, [
      { kind: 'judge-worker', worker: 'worker-1', standing, reason: '3 failures here in a row' },
    ]);
  expect(await trusted('worker-1')).toEqual([1, '', `proctor: no worker worker-1 is known\n${STANDINGS}`]);
  await judge('slowed');
  expect(await trusted('worker-1', '--reason', 'new disk')).toEqual([
    0,
    '',
    'worker worker-1 is trusted by admin (amd64)\n',
  ]);
  expect(await database.journal.orders('amd64', 100)).toContainEqual({
    ...{ kind: 'trust', orderId: expect.any(Number), worker: 'worker-1', by: 'admin', reason: 'new disk' },
  });
  await judge('sound');
  expect(await trusted('worker-1')).toEqual([
    1,
    '',
    `proctor: worker worker-1 is sound already\n${STANDINGS}`,
  ]);
});

it('a pause of an unknown suite or architecture is refused', async () => {
  for (const [scope, message] of [
    [['--suite', 'sdi'], `error: suite "sdi" is unknown; there is sid, trixie\n${DECISIONS}`],
    [['--arch', 'amd46'], `error: arch "amd46" is unknown; there is amd64\n${DECISIONS}`],
  ] as const) {
    const { code, stderr } = await proctor('pause', ...scope, '--reason', 'x');
    expect([code, stderr]).toEqual([2, message]);
  }
  expect((await proctor('decisions')).stdout).toBe('');
});

it('a decision is an administrator’s', async () => {
  const ofAlice = { ...env(), PROCTOR_API_KEY: api.keys.alice };
  for (const args of [
    ['pause', '--reason', 'x'],
    ['worker', 'trust', 'worker-1'],
    ['run', 'cancel', '--package', 'hello', '--everyone'],
  ])
    expect(await machine.proctor(args, '', ofAlice)).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(/is alice's; with another one: --context NAME/),
    });
});

it.each([
  ['a cancellation of a bad package', ['run', 'cancel', '--package', 'No'], /the name of a source package/],
  ['a pause of a bad suite', ['pause', '--suite', '../x', '--reason', 'x'], /the name of a suite/],
  ['a drain with a blank reason', ['worker', 'drain', 'w', '--reason', ' '], /1 to 500 characters/],
  ['a drain of a bad worker', ['worker', 'drain', 'a.b', '--reason', 'x'], /the name of a worker/],
  ['trust in a bad worker', ['worker', 'trust', 'a.b'], /the name of a worker/],
])('%s is no request: exit code 2', async (_what, args, message) => {
  const { code, stdout, stderr } = await proctor(...args);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
});

it.each([
  ['no selector', ['run', 'cancel'], /no runs are selected/],
  ['only a reason', ['run', 'priority', '3', '--reason', 'x'], /no runs are selected/],
])('a command about many runs with %s ends with 2', async (_what, args, message) => {
  const { code, stdout, stderr } = await proctor(...args);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
});
