import { openDatabase } from '@proctor/database';
import type { OpenDatabase, Submitter } from '@proctor/database';
import { Machine } from '@test/support/command-line';
import { createTestDatabase, type TestDatabase } from '@test/support/database';
import type { Finished } from '@test/support/typed-commands';

jest.setTimeout(120_000);

let machine: Machine;
let own: TestDatabase;
let database: OpenDatabase;
let submitter: Submitter;
beforeAll(async () => {
  machine = await Machine.make();
  await machine.configure('proctor.yaml', 'suites: [sid, trixie]\narchitectures: [amd64]\n');
  own = await createTestDatabase();
  database = await openDatabase(own.url);
  await database.users.add('admin', { isAdmin: true });
  await database.users.add('root', { isAdmin: true });
  await database.users.add('ann', { isAdmin: false });
  const { key } = await database.apiKeys.create('ann', 'test');
  submitter = (await database.apiKeys.authenticate(key))!;
});
afterAll(async () => {
  await database?.close();
  await own?.drop();
  await machine?.remove();
});

const proctor = (...args: string[]): Promise<Finished> =>
  machine.proctor(args, '', { PROCTOR_DATABASE_URL: own.url });
/** As a process of its own. */
const program = (...args: string[]): Promise<Finished> =>
  machine.program(args, '', { PROCTOR_DATABASE_URL: own.url });

async function submit(name: string, trigger: string | null = null): Promise<number> {
  const place = { suite: 'sid', arch: 'amd64', backend: 'unshare', variant: 'autopkgtest' };
  const asked = { priority: 5, trigger, pinPackages: [], extraAptSources: [], isPrivate: false };
  const [runId] = await database.submissions.submit([{ package: name, ...place, ...asked }], submitter);
  return runId!;
}

const DECISIONS = 'proctor decisions shows what is paused and drained\n';
const STANDINGS = 'proctor worker list shows the workers, and how each stands\n';
const WHO_DECIDES = 'proctor user list shows who is an administrator; name one with --by\n';
const OTHER = 'type the command again with another one\n';

it('`proctor run cancel` ends the unfinished runs of all users that match everything said', async () => {
  const runs = [await submit('hello', 'x/1'), await submit('hello', 'x/1')];
  const other = await submit('hello', 'x/2');
  const selectors = ['--package', 'hello', '--trigger', 'x/1', '--suite', 'sid', '--arch', 'amd64', '--yes'];
  expect(await program('run', 'cancel', ...selectors, '--reason', 'superseded', '--by', 'root')).toEqual({
    code: 0,
    stdout: runs.map((runId) => `${runId}\n`).join(''),
    stderr: '2 runs were cancelled\n',
  });
  expect(await database.results.find(runs[0]!)).toMatchObject({ message: 'cancelled by root: superseded' });
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
  const said = async (...args: string[]) => {
    const { code, stderr } = await proctor(...args);
    return [code, stderr];
  };
  expect(await said('pause', '--suite', 'sid', '--reason', 'the mirror\nis away')).toEqual([
    0,
    'suite sid on every architecture is paused by admin: the mirror\nis away\n',
  ]);
  expect(await said('pause', '--reason', 'all', '--by', 'root')).toEqual([
    0,
    'everything is paused by root: all\n',
  ]);
  expect(await said('worker', 'drain', 'worker-1', '--reason', 'new disks')).toEqual([
    0,
    'worker worker-1 is drained by admin: new disks\n',
  ]);
  const time = expect.stringMatching(/^\d{4}-.*Z$/);
  const { stdout } = await proctor('decisions');
  expect(stdout.split('\n').map((line) => line.split('\t'))).toEqual([
    ['pause', 'suite sid on every architecture', 'admin', time, '', 'the mirror is away'],
    ['pause', 'everything', 'root', time, '', 'all'],
    ['drain', 'worker worker-1', 'admin', time, '', 'new disks'],
    [''],
  ]);
  expect(await said('resume', '--suite', 'sid', '--arch', 'amd64')).toEqual([
    1,
    `proctor: queue sid/amd64 is not paused\n${DECISIONS}`,
  ]);
  expect(await said('resume', '--suite', 'sid')).toEqual([0, 'suite sid on every architecture goes on\n']);
  expect(await said('resume')).toEqual([0, 'everything goes on\n']);
  expect(await said('worker', 'resume', 'worker-1')).toEqual([0, 'worker worker-1 gets runs again\n']);
  expect(await said('worker', 'resume', 'worker-1')).toEqual([
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
  expect(await trusted('worker-1', '--reason', 'new disk', '--by', 'root')).toEqual([
    0,
    '',
    'worker worker-1 is taken for sound by root (amd64)\n',
  ]);
  expect(await database.journal.orders('amd64', 100)).toContainEqual({
    ...{ kind: 'trust', orderId: expect.any(Number), worker: 'worker-1', by: 'root', reason: 'new disk' },
  });
  await judge('sound');
  expect(await trusted('worker-1')).toEqual([
    1,
    '',
    `proctor: worker worker-1 is sound already\n${STANDINGS}`,
  ]);
  expect(await trusted('worker-1', '--by', 'ann')).toEqual([
    1,
    '',
    `proctor: ann is no administrator\n${WHO_DECIDES}`,
  ]);
});

it('a pause of an unknown suite or architecture is refused', async () => {
  for (const [scope, message] of [
    [['--suite', 'sdi'], `proctor: suite "sdi" is unknown; there is sid, trixie\n${OTHER}`],
    [['--arch', 'amd46'], `proctor: arch "amd46" is unknown; there is amd64\n${OTHER}`],
  ] as const) {
    const { code, stderr } = await proctor('pause', ...scope, '--reason', 'x');
    expect([code, stderr]).toEqual([1, message]);
  }
  expect((await proctor('decisions')).stdout).toBe('');
});

it('a decision is an administrator’s', async () => {
  expect(await proctor('run', 'cancel', '--package', 'hello', '--by', 'nobody')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'proctor: there is no user nobody, in whose name this is decided\n' +
      'make one: proctor user add nobody --admin; or name another administrator with --by\n',
  });
  expect(await proctor('pause', '--reason', 'x', '--by', 'ann')).toEqual({
    code: 1,
    stdout: '',
    stderr: `proctor: ann is no administrator\n${WHO_DECIDES}`,
  });
});

it.each([
  ['no selector', ['run', 'cancel'], /which runs are meant is not said/],
  ['only a reason', ['run', 'priority', '3', '--reason', 'x'], /which runs are meant is not said/],
])('a command about many runs with %s ends with 2', async (_what, args, message) => {
  const { code, stdout, stderr } = await proctor(...args);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
});
