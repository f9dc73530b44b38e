import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hostWorkerName } from '@proctor/config';
import { accountsOf, expectEachPassedOnce } from '@test/support/accounts';
import { remoteNetwork, type RemoteNetwork } from '@test/support/remote-network';
import { SHORT_LEASES, Stage } from './stage';

const main = join(__dirname, '../../../../dist/apps/worker/src/main.js');

let stage: Stage;
let network: RemoteNetwork;
let worker: ChildProcess;

/** A deployment whose first worker is in a network of its own. */
beforeAll(async () => {
  stage = await Stage.open({ apps: ['api', 'scheduler'], slots: 1, scheduler: SHORT_LEASES });
  const credentials = await stage.proctor.users.read(hostWorkerName());
  network = await remoteNetwork(credentials.url);
  const path = join(stage.proctor.home.path, 'remote.json');
  await writeFile(path, JSON.stringify({ ...credentials, url: network.url.replace(/\/$/, '') }));
  worker = startWorker();
  await once(worker, 'message');
});

afterAll(async () => {
  if (worker?.exitCode === null && worker.signalCode === null) {
    const exit = once(worker, 'exit');
    worker.kill('SIGKILL');
    await exit;
  }
  await stage?.close();
  await network?.close();
});

function startWorker(): ChildProcess {
  const { home, output } = stage.proctor;
  const env = {
    ...process.env,
    PROCTOR_HOME: home.path,
    PROCTOR_CONFIG: join(home.path, 'config'),
    PROCTOR_NATS_CREDENTIALS: join(home.path, 'remote.json'),
  };
  const [command = process.execPath, ...args] = [...network.prefix, process.execPath, main];
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (line) => output.add('worker', line));
  }
  return child;
}

/** A run that the worker is executing while its network is cut, until its lease is over. */
async function cutOffRun(name: string): Promise<number> {
  await stage.withdrawGo();
  const runId = await stage.waitingRun(name);
  await network.cut();
  await stage.client.runThat(runId, ({ state }) => state === 'queued');
  return runId;
}

function hasResult(runId: number): Promise<string> {
  return stage.proctor.output.line('worker', new RegExp(`run ${runId} attempt 1: pass`));
}

it('a worker that was cut off past its lease brings the result of an attempt that was not repeated', async () => {
  const runId = await cutOffRun('alone');
  await stage.go();
  await hasResult(runId);
  expect(await stage.client.run(runId)).toMatchObject({ state: 'queued', status: null });
  await network.mend();
  const [account] = await expectEachPassedOnce(stage, [runId]);
  expect(account).toMatchObject({ attempt: 1, outcomes: ['finished'] });
});

it('the result that a cut-off worker brings of an attempt that another worker repeats changes nothing', async () => {
  const runId = await cutOffRun('repeated');
  await stage.go();
  await hasResult(runId);
  await stage.withdrawGo();
  await stage.proctor.restart('worker2');
  await stage.client.runThat(runId, ({ state, attempt }) => state === 'running' && attempt === 2);
  const before = await accountsOf(stage.proctor, [runId]);

  await network.mend();
  await stage.proctor.output.line('worker', new RegExp(`run ${runId} attempt 1: the result came too late`));
  expect(await accountsOf(stage.proctor, [runId])).toEqual(before);
  await stage.go();
  const [account] = await expectEachPassedOnce(stage, [runId]);
  expect(account).toMatchObject({ attempt: 2, outcomes: ['expired', 'finished'] });
  expect(await stage.client.run(runId)).toMatchObject({ worker: 'second' });
});
