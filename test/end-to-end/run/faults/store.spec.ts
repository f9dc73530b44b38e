import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Settings } from '@proctor/store';
import { expectEachPassedOnce } from '@test/support/accounts';
import { linkTo, type CuttableLink } from '@test/support/cuttable-link';
import { S3Server } from '@test/support/s3-server';
import { silenceLog } from '@test/support/silent-log';
import { commandLines, shownSecrets, type Output } from '@test/support/shown-secrets';
import { arch, Stage } from './stage';

silenceLog();

const BUCKET = 'results';

let server: S3Server;
let link: CuttableLink;
let stage: Stage;

beforeAll(async () => {
  server = await S3Server.start();
  link = await linkTo(server.endpoint);
  const { endpoint, credentials } = server;
  const admin = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true });
  await admin.send(new CreateBucketCommand({ Bucket: BUCKET }));
  admin.destroy();
  stage = await Stage.open({
    slots: 3,
    store: settings(),
    env: {
      PROCTOR_S3_ACCESS_KEY_ID: credentials.accessKeyId,
      PROCTOR_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  });
});

afterAll(async () => {
  await stage?.close();
  await link?.cut();
  await server?.stop();
});

function settings(): S3Settings {
  return {
    ...{
      kind: 's3',
      endpoint: link.url,
      region: 'us-east-1',
      bucket: BUCKET,
      prefix: 'ci/',
      pathStyle: true,
    },
    ...{ connectionsMax: 10, connectTimeoutMs: 10_000, answerTimeoutMs: 10_000, idleTimeoutMs: 20_000 },
    answerBytesMax: 1_048_576,
    partBytes: 5 * 1024 * 1024,
  };
}

/** Where the files of a run are, log first. */
async function urlsOf(runId: number): Promise<string[]> {
  const { log_url: log, artifacts_url: artifacts } = await stage.client.run(runId);
  return [log!, artifacts!];
}

it('what a run leaves is kept in the bucket and read over HTTP; of a private run by its own key alone', async () => {
  const { client, proctor } = stage;
  const items = stage.items(2, 'kept', 'lines:2000 artifact:100000');
  const runIds = await client.submit('testing', arch, [items[0]!, { ...items[1], is_private: true }]);
  await expectEachPassedOnce(stage, runIds);
  for (const [place, runId] of runIds.entries()) {
    const [log, artifacts] = await urlsOf(runId);
    expect(await (await client.fetch(log!)).text()).toContain('line 2000 of the stub');
    const whole = Buffer.from(await (await client.fetch(artifacts!)).arrayBuffer());
    expect(gunzipSync(whole).toString('latin1')).toContain('testpkg-version');
    const part = await client.fetch(artifacts!, { headers: { Range: 'bytes=10-29' } });
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, whole.subarray(10, 30)]);
    const isPrivate = place === 1;
    expect((await fetch(`${proctor.url}${log}`)).status).toBe(isPrivate ? 404 : 200);
  }
});

it('a deployment is let in by the secret key of the bucket, and no log or answer contains it', async () => {
  const { client, proctor } = stage;
  const looked = stage.marks.path('looked');
  const [runId = 0] = await stage.submit(1, 'secret-key', `lines:100 artifact:1000 wait-for:${looked}`);
  await client.runThat(runId, ({ state }) => state === 'running');
  const outputs: Output[] = commandLines();
  await writeFile(looked, '');
  await client.finished(runId);
  outputs.push(...commandLines());
  const [log, artifacts] = await urlsOf(runId);
  for (const path of [log!, artifacts!, `/api/v1/test/${runId}`, '/health', '/']) {
    const response = await client.fetch(path);
    expect([path, response.status]).toEqual([path, 200]);
    const body = Buffer.from(await response.arrayBuffer());
    const content = path === artifacts ? gunzipSync(body) : body;
    outputs.push([path, `${JSON.stringify([...response.headers])}\n${content.toString('latin1')}`]);
  }
  outputs.push(['outputs', proctor.output.text]);
  const { secretAccessKey } = server.credentials;
  expect(shownSecrets([['secret key', secretAccessKey]], outputs)).toEqual([]);
  const environment = await readFile(`/proc/${proctor.processes.scheduler.pid}/environ`, 'utf8');
  expect(environment).toContain(secretAccessKey);
});

it('while the store is away results wait and all else goes on, also over a restart of the scheduler; then they count', async () => {
  const { client, proctor } = stage;
  const [before = 0] = await stage.submit(1, 'before');
  await client.finished(before);
  const patient = await stage.waitingRun();
  await link.cut();

  const away = await stage.submit(1, 'away', 'artifact:5000');
  await stage.go();
  for (const runId of [patient, ...away])
    await proctor.output.line('worker', new RegExp(`run ${runId} attempt 1: pass`));
  const pattern =
    /finished reports of \w+: not now, .*the bucket results of .* is not available: .*ECONNREFUSED/;
  await proctor.output.line('scheduler', pattern);
  for (const url of await urlsOf(before)) {
    const refusal = await client.fetch(url);
    expect([refusal.status, Number(refusal.headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect(await refusal.text()).toContain('The store of results is out of reach');
    expect(refusal.headers.get('last-modified')).toBeNull();
  }
  expect((await client.fetch('/health')).status).toBe(200);
  const cancelled = await stage.waitingRun('cancelled');
  expect((await client.fetch(`/api/v1/test/${cancelled}`, { method: 'DELETE' })).status).toBe(200);
  await proctor.kill('scheduler', 'SIGTERM');
  expect(proctor.output.of('scheduler').filter((line) => pattern.test(line))).toHaveLength(1);
  await proctor.restart('scheduler');
  const [late = 0] = await stage.submit(1, 'late');
  await proctor.output.line('worker', new RegExp(`run ${late} attempt 1: pass`));
  expect((await client.run(patient)).status).toBeNull();

  await link.mend();
  const accounts = await expectEachPassedOnce(stage, [patient, ...away, late]);
  expect(accounts.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  for (const url of await urlsOf(away[0]!)) expect((await client.fetch(url)).status).toBe(200);
});
