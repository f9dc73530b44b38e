import Ajv2020 from 'ajv/dist/2020';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { FOREIGN_CODE } from '@test/support/crawl';
import { awayFromMidnight } from '@test/support/midnight';
import { runError } from '@test/support/run-error';
import { registerWorkers, workerKey } from '@test/support/worker-register';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
  const worker = { name: 'worker-1', publicKey: workerKey(), architectures: ['amd64'] };
  await registerWorkers(api.database, [worker], 'alice');
});
afterAll(() => api.stop());

interface Content {
  content?: Record<string, { schema: object }>;
}
interface Operation {
  parameters?: { name?: string; schema?: { enum?: string[] } }[];
  responses: Record<string, Content & { $ref?: string }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Content> };
}

let document: Document;
/** Knows the document: what answers refer to is compiled once. */
let ajv: Ajv2020;
beforeAll(async () => {
  const response = await api.fetch('/api/v1/openapi.json');
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/json; charset=utf-8',
  ]);
  document = (await response.json()) as Document;
  ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ $id: 'document', ...document });
});

/** @throws what in the answer is not as the document says */
async function expectAsDocumented(method: string, path: string, response: Response): Promise<void> {
  const { responses } = document.paths[path]![method]!;
  const description = responses[String(response.status)];
  if (!description)
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  const answer = description.$ref
    ? document.components.responses[description.$ref.split('/').at(-1)!]!
    : description;
  const type = response.headers.get('content-type')?.split(';')[0];
  expect(Object.keys(answer.content ?? {})).toEqual(type ? [type] : []);
  if (!type?.endsWith('json')) return;
  const schema = JSON.stringify(answer.content![type]!.schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
  const validate = ajv.compile(JSON.parse(schema) as object);
  const body: unknown = await response.json();
  expect([body, validate(body) ? null : validate.errors]).toEqual([body, null]);
}

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
});

it.each<[string, string, string, RequestInit]>([
  ['get', '/api/v1/auth', '/auth', {}],
  ['get', '/api/v1/reject_list', '/reject_list', {}],
  ['get', '/api/v1/queues', '/queues', {}],
  ['get', '/api/v1/packages', '/packages', {}],
  ['get', '/api/v1/packages', '/packages?backend=a&backend=b', {}],
  ['get', '/api/v1/runs', '/runs?limit=5', {}],
  ['get', '/api/v1/runs', '/runs?state=gone', {}],
  ['get', '/api/v1/affected-by', '/affected-by', {}],
  ['get', '/api/v1/affected-by', '/affected-by?package=libc6&to=2.40-4', {}],
  ['get', '/api/v1/events', '/events?kinds=gone', {}],
  ['post', '/api/v1/webhooks', '/webhooks', json({ url: 'http://127.0.0.1:9/', package: ['hello'] })],
  ['post', '/api/v1/webhooks', '/webhooks', json({ url: 'ftp://127.0.0.1/' })],
  ['post', '/api/v1/followed', '/followed', json({ packages: ['hello', 'lib*'] })],
  ['post', '/api/v1/followed', '/followed', json({ packages: 5 })],
  ['get', '/api/v1/followed', '/followed', {}],
  ['delete', '/api/v1/followed/{pattern}', '/followed/lib*', { method: 'DELETE' }],
  ['delete', '/api/v1/followed/{pattern}', '/followed/lib*', { method: 'DELETE' }],
  ['post', '/api/v1/followed/runs/{run_id}', '/followed/runs/RUN', { method: 'POST' }],
  ['delete', '/api/v1/followed/runs/{run_id}', '/followed/runs/RUN', { method: 'DELETE' }],
  ['post', '/api/v1/followed/triggers/{package}/{version}', '/followed/triggers/gcc/1', { method: 'POST' }],
  ['delete', '/api/v1/followed/triggers/{package}/{version}', '/followed/triggers/a/1', { method: 'DELETE' }],
  ['get', '/api/v1/webhooks', '/webhooks', {}],
  ['get', '/api/v1/webhooks/{webhook_id}', '/webhooks/1', {}],
  ['post', '/api/v1/webhooks/{webhook_id}/rotate', '/webhooks/1/rotate', json({})],
  ['post', '/api/v1/webhooks/{webhook_id}/ping', '/webhooks/1/ping', json({})],
  ['get', '/api/v1/webhooks/{webhook_id}/deliveries', '/webhooks/1/deliveries?limit=1', {}],
  [
    'post',
    '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    '/webhooks/1/deliveries/1/redeliver',
    json({}),
  ],
  ['post', '/api/v1/webhooks/{webhook_id}/recover', '/webhooks/1/recover', json({ since: 0 })],
  [
    'post',
    '/api/v1/webhooks/{webhook_id}',
    '/webhooks/1',
    json({ url: 'http://127.0.0.1:9/', enabled: false }),
  ],
  ['delete', '/api/v1/webhooks/{webhook_id}', '/webhooks/1', { method: 'DELETE' }],
  ['get', '/api/v1/compare', '/compare?a=1', {}],
  ['get', '/api/v1/compare', '/compare?a=1&b=2', {}],
  ['get', '/api/v1/triggers/{package}/{version}', '/triggers/glibc/2.40-4', {}],
  ['get', '/api/v1/triggers/{package}/{version}', '/triggers/gcc/1?limit=1', {}],
  ['get', '/api/v1/runs/{run_id}/triage', '/runs/FAILED/triage', {}],
  ['get', '/api/v1/runs/{run_id}/triage', '/runs/RUN/triage', {}],
  ['get', '/api/v1/runs/{run_id}/packages', '/runs/RUN/packages', {}],
  ['get', '/api/v1/runs/{run_id}/packages', '/runs/999999/packages', {}],
  ['get', '/api/v1/runs/{run_id}/log/index', '/runs/RUN/log/index', {}],
  ['get', '/api/v1/runs/{run_id}/log/index', '/runs/RUN/log/index?from=1', {}],
  ['get', '/api/v1/runs/{run_id}/log/search', '/runs/RUN/log/search?q=log', {}],
  ['get', '/api/v1/runs/{run_id}/log/search', '/runs/WAITING/log/search?q=log', {}],
  ['get', '/api/v1/runs/{run_id}/artifacts', '/runs/RUN/artifacts', {}],
  ['get', '/api/v1/runs/{run_id}/artifacts/{path}', '/runs/RUN/artifacts/none', {}],
  ['get', '/api/v1/notes', '/notes?package=hello', {}],
  ['get', '/api/v1/notes', '/notes?run_id=FAILED', {}],
  ['post', '/api/v1/notes', '/notes', json({ package: 'hello', text: 'known', bugs: '#7' })],
  ['post', '/api/v1/notes', '/notes', json({ run_id: 0, text: 'known' })],
  ['post', '/api/v1/notes/{note_id}', '/notes/999999', json({ text: 'known' })],
  ['delete', '/api/v1/notes/{note_id}', '/notes/999999', { method: 'DELETE' }],
  ['get', '/api/v1/triggers', '/triggers', {}],
  ['get', '/api/v1/triggers', '/triggers?limit=0', {}],
  [
    'post',
    '/api/v1/triggers/{package}/{version}/{action}',
    '/triggers/gcc/1/retry',
    json({ group: ['passed', 'waiting'] }),
  ],
  [
    'post',
    '/api/v1/triggers/{package}/{version}/{action}',
    '/triggers/gcc/1/cancel',
    json({ run_ids: [1], dry_run: true }),
  ],
  ['post', '/api/v1/triggers/{package}/{version}/{action}', '/triggers/gcc/1/refresh', json({})],
  ['get', '/api/v1/test', '/test?since=0', {}],
  ['get', '/api/v1/test', '/test', {}],
  ['get', '/api/v1/test/{run_id}', '/test/RUN', {}],
  ['get', '/api/v1/test/{run_id}', '/test/WAITING', {}],
  ['get', '/api/v1/test/{run_id}', '/test/0', {}],
  ['delete', '/api/v1/test/{run_id}', '/test/RUN', { method: 'DELETE' }],
  ['delete', '/api/v1/test/{run_id}', '/test/WAITING', { method: 'DELETE' }],
  ['get', '/api/v1/retry/{run_id}', '/retry/RUN', {}],
  ['post', '/api/v1/retry/{run_id}', '/retry/RUN', { method: 'POST' }],
  ['post', '/api/v1/retry/{run_id}', '/retry/RUN', { method: 'POST' }],
  ['post', '/api/v1/test/publish', '/test/publish', json({ run_ids: '5' })],
  [
    'post',
    '/api/v1/test/batch',
    '/test/batch',
    json([{ suite: 'trixie', arch: 'amd64', tests: [{ package: 'blocked' }, { package: 'hello' }] }]),
  ],
  [
    'post',
    '/api/v1/test/batch',
    '/test/batch?dry_run=true',
    json([{ suite: 'trixie', arch: 'amd64', tests: [{ package: 'blocked' }, { package: 'hello' }] }]),
  ],
  ['post', '/api/v1/test/batch', '/test/batch', json([5])],
  [
    'post',
    '/api/v1/test/{suite}/{arch}',
    '/test/trixie/amd64',
    json([{ package: 'hello', x: 1 }, { package: 'Bad' }]),
  ],
  [
    'post',
    '/api/v1/test/{suite}/{arch}',
    '/test/trixie/amd64',
    { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } },
  ],
  ['post', '/api/v1/test/{suite}/{arch}/{package}', '/test/trixie/amd64/hello', { method: 'POST' }],
  ['post', '/api/v1/test/cancel', '/test/cancel', json({ package: 'hello', arch: 'arm64' })],
  ['post', '/api/v1/test/cancel', '/test/cancel', json({})],
  ['post', '/api/v1/test/cancel', '/test/cancel', json({ arch: 'amd64', dry_run: true })],
  ['post', '/api/v1/test/priority', '/test/priority', json({ arch: 'amd64', priority: 9, dry_run: true })],
  ['post', '/api/v1/test/cancel', '/test/cancel', json({ suite: 'trixie', everyone: true })],
  ['post', '/api/v1/test/priority', '/test/priority', json({ run_ids: [1], priority: 3 })],
  ['post', '/api/v1/test/priority', '/test/priority', json({ run_ids: [1] })],
  ['get', '/api/v1/signatures', '/signatures', {}],
  ['get', '/api/v1/signatures', '/signatures?order=old', {}],
  ['get', '/api/v1/signatures/{signature}', '/signatures/SIGNATURE', {}],
  ['get', '/api/v1/signatures/{signature}', '/signatures/0', {}],
  ['get', '/api/v1/workers', '/workers', {}],
  ['get', '/api/v1/workers/{name}', '/workers/worker-1', {}],
  ['get', '/api/v1/admin/decisions', '/admin/decisions', {}],
  ['post', '/api/v1/admin/pause', '/admin/pause', json({ suite: 'trixie', reason: 'x' })],
  ['get', '/api/v1/keys', '/keys', {}],
])('%s %s answers %s as the document says', async (method, path, to, init) => {
  const ofTrigger = { trigger: 'gcc/1' };
  const [finishedRun, waiting] = [await api.submit('hello', ofTrigger), await api.submit('hello', ofTrigger)];
  const failedRun = to.includes('FAILED') ? await api.submit('hello') : 0;
  const error = runError('no space');
  await api.finish(finishedRun, { verdict: 'fail', error });
  if (failedRun) await api.finish(failedRun, { verdict: 'fail' });
  const ids = { RUN: finishedRun, WAITING: waiting, FAILED: failedRun, SIGNATURE: error.signature };
  const response = await api.api(
    to.replace(/RUN|WAITING|FAILED|SIGNATURE/, (name) => String(ids[name as keyof typeof ids])),
    init,
  );
  await expectAsDocumented(method, path, response);
});

it('the service answers administrators as the document says', async () => {
  await api.database.users.add('root', { isAdmin: true });
  const { key } = await api.database.apiKeys.create('root', 'test');
  for (const [worker, standing] of [
    ['bad', 'slowed'],
    ['good', 'sound'],
  ] as const)
    await api.commit([{ kind: 'judge-worker', worker, standing, reason: 'x' }]);
  for (const [what, body] of [
    ['pause', { suite: 'trixie', reason: 'x' }],
    ['pause', { suite: 'sid', reason: 'x' }],
    ['drain', { worker: 'w', reason: 'x' }],
    ['decisions', null],
    ['audit', null],
    ['configuration', null],
    ['users', null],
    ['users', { name: 'carol' }],
    ['keys', null],
    ['resume', { suite: 'trixie' }],
    ['resume', { suite: 'trixie' }],
    ['undrain', { worker: 'w' }],
    ['undrain', { worker: 'w' }],
    ['trust', { worker: 'w' }],
    ['trust', { worker: 'bad' }],
    ['trust', { worker: 'good' }],
  ] as const) {
    const response = await api.api(`/admin/${what}`, body ? json(body) : {}, key);
    await expectAsDocumented(body ? 'post' : 'get', `/api/v1/admin/${what}`, response);
  }
});

it('statuses of packages and their figures are answered as the document says', async () => {
  await awayFromMidnight();
  await api.finish(await api.submit('hello'), { verdict: 'pass' });
  await api.finish(await api.submit('hello'), { verdict: 'fail' });
  while (await api.database.statusProjection.step('amd64'));
  while (await api.database.dayStatistics.step('amd64'));
  const [list] = document.paths['/status/{list}.json']!['get']!.parameters!;
  expect(list!.schema!.enum!.length).toBeGreaterThan(5);
  for (const name of list!.schema!.enum!)
    await expectAsDocumented('get', '/status/{list}.json', await api.fetch(`/status/${name}.json`));
  await expectAsDocumented('get', '/status/statistics.json', await api.fetch('/status/statistics.json'));
  await api.database.hourFigures.save('amd64', 4, null);
  const hours = await api.fetch('/status/queue/hours.json?days=1&arch=amd64');
  expect(await hours.clone().json()).toMatchObject({ hours: [{ arch: 'amd64', slots: 4 }] });
  await expectAsDocumented('get', '/status/queue/hours.json', hours);
  const ofPackages = await api.fetch('/data/status/bookworm/amd64/packages.json');
  expect(await ofPackages.clone().json()).toMatchObject([{ package: 'hello', status: 'fail' }]);
  await expectAsDocumented('get', '/data/status/{suite}/{arch}/packages.json', ofPackages);
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '/');
  for (const [documented, path] of [
    ['status', 'status'],
    ['history', 'history'],
    ['{year}/{month}/{day}', today],
  ]) {
    const counts = await api.fetch(`/data/status/bookworm/amd64/${path}.json`);
    expect(await counts.clone().text()).toContain('"fail":1');
    await expectAsDocumented('get', `/data/status/{suite}/{arch}/${documented}.json`, counts);
  }
  const followed = await api.api('/followed', json({ packages: 'hello' }));
  expect(await followed.clone().json()).toMatchObject({ packages: [{ statuses: [{ status: 'fail' }] }] });
  await expectAsDocumented('post', '/api/v1/followed', followed);
});

it('the documentation is a page for people too, without scripts', async () => {
  const response = await api.fetch('/api/doc');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const page = await response.text();
  for (const path of Object.keys(document.paths)) expect(page).toContain(path);
  expect(page).toContain('Idempotency-Key');
  expect(page).not.toMatch(FOREIGN_CODE);
  expect(page).not.toMatch(/undefined|\[object/);
});

it.each(['/api/v1/openapi.json', '/api/doc', '/api/v1/openapi.json/'])(
  '%s is not sent twice',
  async (path) => {
    const etag = (await api.fetch(path)).headers.get('etag')!;
    const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
    expect((await api.fetch(path, { headers })).status).toBe(304);
    const head = await api.fetch(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  },
);

it.each(['/auth', '/reject_list', '/queues', '/workers', '/packages', '/test/RUN', '/retry/RUN'])(
  'GET %s has an ETag and can be a HEAD',
  async (path) => {
    const runId = await api.submit('hello');
    await api.finish(runId);
    const to = path.replace('RUN', String(runId));
    const etag = (await api.api(to)).headers.get('etag')!;
    const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
    expect((await api.api(to, { headers })).status).toBe(304);
    const head = await api.api(to, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
  },
);
