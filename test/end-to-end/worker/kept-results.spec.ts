import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FinishedReport, parseMessage, SUBJECTS, subjectOf } from '@proctor/contracts';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { until } from '@test/support/until';
import { imageCachePath } from '@test/support/worker-images';
import { FakeDispatcher } from './fake-dispatcher';
import { lease } from './test-machine';

const STUB = { package: 'stub', suite: 'teapot', arch: 'tea', backend: 'null', variant: 'stub' };

let workPath: string;
let results: string;
let proctor: RunningProctor;
let tea: FakeDispatcher;
let coffee: FakeDispatcher;

beforeEach(async () => {
  await mkdir(imageCachePath(), { recursive: true });
  workPath = await mkdtemp(join(imageCachePath(), 'work-'));
  results = join(workPath, 'results');
  await chmod(workPath, 0o755);
  const worker = {
    ...{ name: 'machine', slots: 1, architectures: ['tea', 'coffee'], suitesAtStart: ['teapot'] },
    ...{ backends: ['null'], variants: { stub: [resolve('test/stub/autopkgtest-stub')] } },
    ...{ machineMayBeDestroyed: true, workPath, answerWaitMs: 1_000 },
  };
  proctor = await startProctor({ config: { worker }, apps: ['worker'] });
  tea = await FakeDispatcher.connect(proctor, 'tea');
  coffee = await FakeDispatcher.connect(proctor, 'coffee');
});

afterEach(async () => {
  await tea?.close();
  await coffee?.close();
  await proctor?.stop();
  await rm(workPath, { recursive: true, force: true });
});

const finishedAt = (dispatcher: FakeDispatcher, runId: number) =>
  dispatcher.until('report', ({ name, body }) => name === 'finished' && body.runId === runId);

it('a worker reports tests whose names hold control characters in a way that is read', async () => {
  const summary = Buffer.from('a\x01b PASS\n\x1b[1mbold FAIL non-zero exit status 1\n').toString('base64');
  const granted = lease({ ...STUB, trigger: `summary:${summary} exit:4` });
  tea.grant(granted);
  const { body } = await finishedAt(tea, granted.runId);
  expect(parseMessage(FinishedReport, body)).toMatchObject({ verdict: 'fail' });
  expect(body.tests?.map(({ name }) => name)).toEqual(['a\ufffdb', '\ufffd[1mbold', 'stub']);
  expect(await until(async () => (await readdir(results)).length === 0)).toBe(true);
});

it('a worker reports a result that it cannot keep as a failure of the machine, and takes no work until it can', async () => {
  await tea.until('ask', ({ body }) => body.problem === undefined);
  await rm(results, { recursive: true, force: true });
  await writeFile(results, 'in the way');
  const granted = lease(STUB);
  tea.grant(granted);
  const { body } = await finishedAt(tea, granted.runId);
  expect(body).toMatchObject({ verdict: 'tmpfail', trouble: 'machine', files: [] });
  expect(tea.messages.filter(({ kind }) => kind === 'return')).toEqual([]);
  const next = await tea.until('ask', ({ body }) => body.problem !== undefined);
  expect(next.body.problem).toContain('results cannot be kept on disk');

  await rm(results);
  const after = tea.messages.length;
  const asksAgain = async () => {
    tea.bus.signal(subjectOf(SUBJECTS.workWaiting, 'tea'), {});
    await tea.bus.flush();
    return tea.messages
      .slice(after)
      .some((message) => message.kind === 'ask' && message.body.problem === undefined);
  };
  expect(await until(asksAgain)).toBe(true);
});

it('a worker executes runs of other architectures while a result is not answered, which is delivered at last', async () => {
  tea.answer = null;
  const unanswered = lease({ ...STUB, renewEveryMs: 200 });
  tea.grant(unanswered);
  await finishedAt(tea, unanswered.runId);
  const askCount = tea.messages.filter(({ kind }) => kind === 'ask').length;
  const others = [lease({ ...STUB, arch: 'coffee' }), lease({ ...STUB, arch: 'coffee' })];
  for (const other of others) {
    coffee.grant(other);
    await finishedAt(coffee, other.runId);
  }
  const renewals = () => tea.messages.filter(({ kind }) => kind === 'renew').length;
  const renewed = renewals();
  expect(await until(() => Promise.resolve(renewals() > renewed + 2))).toBe(true);
  expect(tea.messages.filter(({ kind }) => kind === 'ask')).toHaveLength(askCount);
  expect(await readdir(results)).toEqual([`${unanswered.runId}-1-${unanswered.grantEpoch}`]);
  tea.answer = 'recorded';
  await tea.until('ask', () => tea.messages.filter(({ kind }) => kind === 'ask').length > askCount);
  expect(await readdir(results)).toEqual([]);
});
