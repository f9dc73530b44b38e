import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@test/support/client';
import { hostArchitecture } from '@test/support/host-architecture';
import type { Marks } from '@test/support/stub';
import { STUB_SUITE } from '@test/support/stub';
import { testChanges } from './client-commands/changes';
import { CommandStage } from './client-commands/command-stage';
import { testNotifyingCommands } from './client-commands/notifications';
import { testTriggerCommands } from './client-commands/triggers';

const arch = hostArchitecture();

let stage: CommandStage;
let client: Client;
let marks: Marks;

beforeAll(async () => {
  stage = await CommandStage.start();
  ({ client, marks } = stage);
});
afterAll(() => stage?.stop());

const typed: CommandStage['typed'] = (args, options) => stage.typed(args, options);
/** As a process of its own. */
const program: CommandStage['program'] = (args, options) => stage.program(args, options);
const expectAsDocumented: CommandStage['expectAsDocumented'] = (...answer) =>
  stage.expectAsDocumented(...answer);

testNotifyingCommands(() => stage);
testTriggerCommands(() => stage);
testChanges(() => stage, arch);

const place = ['--suite', STUB_SUITE, '--arch', arch];

it('run submit --wait asks for runs, says what becomes of them and ends as they do', async () => {
  const passed = await program(['run', 'submit', 'hello', 'figlet', ...place, '--trigger', 'a/1', '--wait']);
  expect(passed).toMatchObject({ code: 0 });
  expect(passed.stdout.split('\n').map((line) => line.split('\t').slice(1, 6))).toEqual([
    ['hello', STUB_SUITE, arch, 'finished', 'pass'],
    ['figlet', STUB_SUITE, arch, 'finished', 'pass'],
    [],
  ]);
  expect(passed.stderr).toMatch(/^asked for run \d+, run \d+\n/);
  expect(passed.stderr).toMatch(/run \d+ of hello: pass: /);
});

it('run submit finds suite and architecture out where there is one, and says what is ignored', async () => {
  const { code, stdout, stderr } = await typed(['run', 'submit', 'hello', 'blocked', 'No', '--json']);
  const { runs } = expectAsDocumented('post', '/api/v1/test/batch', '201', stdout) as {
    runs: { package: string }[];
  };
  expect([code, runs.map((run) => run.package)]).toEqual([0, ['hello']]);
  expect(stderr).toContain(`ignored blocked on ${arch}: the reject list has it\n`);
  expect(stderr).toContain(`ignored No on ${arch}: not a possible name of a package\n`);
  const nothing = await typed(['run', 'submit', 'blocked', ...place]);
  expect(nothing).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('nothing was requested'),
  });
});

it('run submit reads lists, says what it would do, and refuses what cannot be', async () => {
  const file = marks.path('tests.json');
  await writeFile(file, JSON.stringify([{ package: 'hello', trigger: 'b/1' }]));
  const dry = await typed(['run', 'submit', '--file', file, ...place, '--dry-run', '--json']);
  expect(expectAsDocumented('post', '/api/v1/test/batch', '200', dry.stdout)).toMatchObject({
    dry_run: true,
  });
  const listed = await program(['run', 'submit', '--file', '-', ...place], {
    input: '[{"package": "hello"}]',
  });
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\thello\t/) });
  const wrong = await typed(['run', 'submit', 'hello', '--suite', 'nowhere', '--arch', arch]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('nowhere') });
});

it.each([
  ['fail', 1, 'fail-now'],
  ['tmpfail', 75, 'broken-now'],
])('run wait of a run that ends as %s ends with %i, and explain says why', async (status, code, name) => {
  const runId = await client.submitOne(STUB_SUITE, arch, { package: name });
  const waited = await typed(['run', 'wait', String(runId), '--json']);
  expect(waited).toMatchObject({ code, stderr: expect.stringContaining(`proctor run explain ${runId}`) });
  const { results } = JSON.parse(waited.stdout) as { results: object[] };
  expect(results).toMatchObject([{ run_id: runId, status }]);
  const explained = await typed(['run', 'explain', String(runId)]);
  expect(explained).toMatchObject({ code: 0, stderr: '' });
  expect(explained.stdout).toMatch(new RegExp(`^run ${runId} of ${name} .* ended as ${status}`));
  expect(explained.stdout).toMatch(/proctor run (log|retry) \d+|proctor run submit /);
});

it('run wait distinguishes a run that is not there from one that has failed, and gives up after its limit', async () => {
  expect(await typed(['run', 'wait', '999999'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: there is no run 999999\nproctor run list shows /),
  });
  const runId = await client.submitOne(STUB_SUITE, arch, {
    package: 'slow',
    trigger: `wait-for:${marks.path('given-up')}`,
  });
  const waited = await typed(['run', 'wait', String(runId), '--timeout', '0.1s']);
  expect(waited).toMatchObject({ code: 75, stderr: expect.stringContaining('not ended within 0.1 s') });
  await writeFile(marks.path('given-up'), '');
  await client.finished(runId);
});

it('run log --follow waits for the start, writes what comes, and goes on at an offset', async () => {
  const go = marks.path('follow');
  const runId = await client.submitOne(STUB_SUITE, arch, {
    package: 'hello',
    trigger: `lines:200 wait-for:${go}`,
  });
  const following = typed(['run', 'log', '--follow', String(runId)]);
  await client.runThat(runId, ({ state }) => state === 'running');
  await writeFile(go, '');
  const followed = await following;
  const logText = await (await client.fetch(`/api/v1/runs/${runId}/log`)).text();
  expect(logText).toContain('line 200 of the stub');
  expect(followed).toMatchObject({ code: 0, stdout: logText });
  expect(followed.stderr).toContain('attempt 1 ended as pass\n');
  for (const follow of [[], ['--follow']]) {
    const rest = await typed(['run', 'log', ...follow, '--offset', '100', String(runId)]);
    expect(rest).toMatchObject({ code: 0, stdout: logText.slice(100) });
  }
});

it('run list, show and their --json are what the API answers', async () => {
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'listed', trigger: 'c/1' });
  await client.finished(runId);
  const list = await typed(['run', 'list', '--package', 'listed', '--status', 'pass', '--json']);
  const { results } = expectAsDocumented('get', '/api/v1/runs', '200', list.stdout) as { results: object[] };
  expect(results).toMatchObject([{ run_id: runId }]);
  const show = await typed(['run', 'show', String(runId), '--json']);
  expectAsDocumented('get', '/api/v1/test/{run_id}', '200', show.stdout);
  expect((await typed(['run', 'show', String(runId)])).stdout).toContain('status\tpass\n');
  expect(await typed(['run', 'list', '--package', 'unheard-of'])).toEqual({
    ...{ code: 0, stdout: '', stderr: 'no run matches\n' },
  });
  expect(await typed(['run', 'list', '--state', 'gone'])).toMatchObject({ code: 2 });
});

it('run retry prints the new run, and says what could not be repeated', async () => {
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'again' });
  await client.finished(runId);
  const { code, stdout, stderr } = await typed(['run', 'retry', String(runId), '999999']);
  expect(stdout).toMatch(new RegExp(`^${runId}\t\\d+\n$`));
  expect(stderr).toMatch(/999999/);
  expect(code).toBe(1);
  await client.finished(Number(stdout.split('\t')[1]));
});

it('run cancel counts before it ends many runs, and never says 0 and nothing', async () => {
  const trigger = `d/1 wait-for:${marks.path('never')}`;
  const runs = await client.submit(
    STUB_SUITE,
    arch,
    ['hello', 'figlet', 'third'].map((name) => ({ package: name, trigger })),
  );
  const unasked = await typed(['run', 'cancel', '--trigger', trigger]);
  expect(unasked).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/3 runs are cancelled.*\nuse --yes/),
  });
  const cancelled = await typed(['run', 'cancel', '--trigger', trigger, '--yes']);
  expect(cancelled).toMatchObject({ code: 0, stdout: runs.map((id) => `${id}\n`).join('') });
  expect(cancelled.stderr).toBe('3 runs were cancelled\n');
  for (const [args, code, message] of [
    [['--trigger', trigger], 1, /no unfinished run matches/],
    [['--suite', 'sdi'], 2, /suite "sdi" is unknown; there is testing/],
    [[String(runs[0]), '999999'], 1, /2 not cancelled; run \d+: it has finished; run 999999: there is none/],
    [[], 2, /no runs are selected/],
  ] as const) {
    const refusal = await typed(['run', 'cancel', ...args]);
    expect([refusal.code, refusal.stdout]).toEqual([code, '']);
    expect(refusal.stderr).toMatch(message);
  }
});

it('worker drain --wait waits for what the worker has, and no longer than its deadline: what it has then waits again', async () => {
  const go = marks.path('drained');
  const request = { package: 'last', trigger: `wait-for:${go}` };
  const runId = await client.submitOne(STUB_SUITE, arch, request);
  const run = await client.runThat(runId, ({ state }) => state === 'running');
  const worker = String(run['worker']);
  const drain = ['worker', 'drain', worker, '--reason', 'new disk', '--wait'];
  const drained = await typed([...drain, '--deadline', '1s']);
  expect(drained).toMatchObject({ code: 0, stderr: expect.stringContaining('has finished its runs') });
  const { state, facts } = (await client.run(runId)) as unknown as {
    state: string;
    facts: { kind: string; reason: string | null }[];
  };
  const why = `worker ${worker} was drained by admin, and its time to finish is over: new disk`;
  expect([state, facts.at(-1)]).toMatchObject(['queued', { kind: 'requeued', reason: why }]);
  const status = await typed(['status']);
  expect(status.stderr).toContain(`is drained by admin: new disk; end it: proctor worker resume ${worker}`);
  const list = await typed(['worker', 'list', '--json']);
  expect(expectAsDocumented('get', '/api/v1/workers', '200', list.stdout)).toMatchObject({
    workers: [{ name: worker, drained: { by: 'admin' } }],
  });
  const decisions = await typed(['decisions', '--json']);
  expect(expectAsDocumented('get', '/api/v1/admin/decisions', '200', decisions.stdout)).toMatchObject({
    drains: [{ worker, deadline: expect.any(String) }],
  });
  const show = await typed(['worker', 'show', worker, '--json']);
  expectAsDocumented('get', '/api/v1/workers/{name}', '200', show.stdout);
  expect(await typed(['worker', 'resume', worker])).toMatchObject({ code: 0 });
  expect(await typed(['worker', 'resume', worker])).toMatchObject({ code: 1 });

  await client.runThat(runId, (again) => again.state === 'running');
  const waiting = typed(drain);
  await writeFile(go, '');
  expect(await waiting).toMatchObject({ code: 0, stderr: expect.stringContaining('has finished its runs') });
  expect(await typed(['worker', 'resume', worker])).toMatchObject({ code: 0 });

  const quarantine = ['worker', 'quarantine', worker, '--reason', 'odd disk'];
  expect(await typed(quarantine)).toMatchObject({
    ...{ code: 0, stderr: expect.stringContaining(`proctor worker trust ${worker}`) },
  });
  const standing = async (): Promise<string> => {
    const { stdout } = await typed(['worker', 'list', '--json']);
    return (JSON.parse(stdout) as { workers: { standing: string }[] }).workers[0]!.standing;
  };
  while ((await standing()) !== 'quarantined');
  expect(await typed(['worker', 'trust', worker])).toMatchObject({ code: 0 });
  while ((await standing()) !== 'sound');
  const unknown = await typed(['worker', 'quarantine', 'w9', '--reason', 'x']);
  expect(unknown).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/w9 is registered\nproctor worker list/),
  });
});

it('pauses, users, workers and keys are changed at a service as on its machine', async () => {
  expect(await typed(['pause', '--suite', STUB_SUITE, '--reason', 'x'])).toMatchObject({
    stderr: `suite ${STUB_SUITE} on every architecture is paused by admin: x\n`,
  });
  const queues = await typed(['queue', '--json']);
  expect(expectAsDocumented('get', '/api/v1/queues', '200', queues.stdout)).toMatchObject([
    { paused: { by: 'admin' } },
  ]);
  expect(await typed(['resume', '--suite', STUB_SUITE])).toMatchObject({ code: 0 });
  expect(await typed(['resume', '--by', 'admin'])).toMatchObject({ code: 2 });

  const password = 'a long enough word';
  const added = await typed(['user', 'add', 'ann', '--password-stdin'], { input: password });
  expect(added).toMatchObject({ code: 0, stderr: 'user ann added\n' });
  expect((await typed(['user', 'list'])).stdout).toMatch(/^admin\tyes\t.*\nann\tno\tactive\tyes\t0\t/);
  expect(await typed(['user', 'admin', 'ann'])).toMatchObject({ code: 0 });
  expect(await typed(['user', 'admin', 'ann', '--dismiss'])).toMatchObject({ code: 0 });
  const users = await typed(['user', 'list', '--json']);
  expectAsDocumented('get', '/api/v1/admin/users', '200', users.stdout);
  const keys = await typed(['key', 'list', 'admin', '--json']);
  expectAsDocumented('get', '/api/v1/admin/keys', '200', keys.stdout);
  const key = await typed(['key', 'create', 'ann', '--name', 'x'], { input: `${password}\n` });
  const id = /^key (\d+) of ann created/m.exec(key.stderr)![1]!;
  const rotated = await typed(['key', 'rotate', 'ann', id], { input: `${password}\n` });
  expect([rotated.code, rotated.stdout === key.stdout]).toEqual([0, false]);
  for (const [{ stdout }, code] of [
    [key, 4],
    [rotated, 0],
  ] as const)
    expect(await typed(['queue'], { env: { PROCTOR_API_KEY: stdout.trim() } })).toMatchObject({ code });
  const registered = await typed(['worker', 'list', '--registered', '--json']);
  expectAsDocumented('get', '/api/v1/admin/workers', '200', registered.stdout);
});

it('contexts keep addresses and keys for their owner alone', async () => {
  const env = { PROCTOR_URL: undefined, PROCTOR_API_KEY: undefined };
  const add = ['context', 'add', 'here', '--url', `${stage.proctor.url}/`, '--key-stdin'];
  expect(await typed(add, { input: 'pk_no', env })).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/is not valid at http:.*\nget a key at /),
  });
  expect(await typed(add, { input: `${stage.proctor.adminKey}\n`, env })).toMatchObject({
    code: 0,
    stdout: '',
  });
  const file = join(marks.path('configuration'), 'proctor/contexts.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await typed(['context', 'list'], { env })).stdout).toBe(`here\t${stage.proctor.url}\tyes\n`);
  expect(await typed(['queue'], { env })).toMatchObject({ code: 0 });
  expect(await typed(['queue', '--context', 'there'])).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('there is here\n') },
  });
  const { stdout } = await typed(['context', 'remove', 'here', '--json'], { env });
  expect(JSON.parse(stdout)).toEqual({ name: 'here' });
});

it('a key that is no administrator’s, a wrong one and a service that is away have exit codes of their own', async () => {
  expect(await typed(['queue'], { env: { PROCTOR_API_KEY: 'pk_no' } })).toMatchObject({ code: 4 });
  expect(await typed(['queue'], { env: { PROCTOR_API_KEY: undefined } })).toMatchObject({
    ...{ code: 4, stderr: expect.stringContaining('PROCTOR_API_KEY is not set') },
  });
  const away = await program(['pause', '--reason', 'x'], { env: { PROCTOR_URL: 'http://127.0.0.1:1' } });
  expect(away).toMatchObject({
    ...{
      code: 75,
      stderr: expect.stringMatching(/^proctor: http:\/\/127.0.0.1:1 cannot be reached: .*\nis it running/),
    },
  });
});
