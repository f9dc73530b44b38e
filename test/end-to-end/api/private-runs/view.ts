import { errorSignature, packagePrefix } from '@proctor/contracts';
import type { RunningApi } from '@test/support/api';
import { get, asHead, dataOf, packagePage, pageOf, perSuite, perPackage, perRun, fileOf } from './asks';
import type { Ask, Asks } from './asks';
import { publicReadOf } from '@apps/api/src/http/public-reads';
import { ADMIN_VIEWS } from './admin-view';

export interface ViewAnswers {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Headers that are not compared.
 * - `date`: the time of the answer.
 */
const OWN_HEADERS = ['date'];

/** The lists below `/status/`. */
const LISTS = [
  ...['failing', 'alerts', 'flaky', 'slow', 'changes'],
  ...['platform-specific-issues', 'mismatches', 'pending', 'errors', 'new-errors', 'reject_list'],
];

/** Signatures of an error that public and private runs have, and of one that only private runs have. */
const SIGNATURES = ['no space left on device', 'words that only private runs hold'].map((line) =>
  errorSignature({ lines: [line] }),
);

/** Every route of the application is here or in `CHANGES`. */
export const VIEWS: Record<string, Asks> = {
  ...ADMIN_VIEWS,
  'GET /api/v1/auth': () => get('/api/v1/auth'),
  'GET /api/v1/reject_list': () => get('/api/v1/reject_list'),
  'GET /api/v1/queues': () => get('/api/v1/queues'),
  'GET /api/v1/runs': (names) => [
    ...get(
      '/api/v1/runs',
      '/api/v1/runs?limit=2',
      '/api/v1/runs?requestor=alice',
      '/api/v1/runs?state=queued',
      '/api/v1/runs?package=*&limit=3',
    ),
    ...perPackage(({ name }) => `/api/v1/runs?package=${name}`)(names),
    ...perPackage(({ name }) => `/api/v1/runs?trigger=${name}/1`)(names),
  ],
  'GET /api/v1/affected-by': perPackage(({ name }) => `/api/v1/affected-by?package=${name}`),
  'GET /packages/-/affected-by': perPackage(({ name }) => `/packages/-/affected-by?package=${name}`),
  'GET /api/v1/followed': () => get('/api/v1/followed'),
  'GET /api/v1/webhooks': () => get('/api/v1/webhooks'),
  'GET /api/v1/webhooks/:webhook_id': () => get('/api/v1/webhooks/1'),
  'GET /api/v1/webhooks/:webhook_id/deliveries': () => get('/api/v1/webhooks/1/deliveries'),
  'GET /api/v1/events': (names) => [
    ...get('/api/v1/events', '/api/v1/events?since=0').map(asHead),
    ...perPackage(({ name }) => `/api/v1/events?package=${name}`)(names).map(asHead),
  ],
  'GET /api/v1/compare': perRun(({ runId }) => `/api/v1/compare?a=${runId}&b=${runId}`),
  'GET /api/v1/notes': (names) => [
    ...get('/api/v1/notes'),
    ...perPackage(({ name }) => `/api/v1/notes?package=${name}`)(names),
    ...perRun(({ runId }) => `/api/v1/notes?run_id=${runId}`)(names),
  ],
  'GET /notes/:note_id': () => get('/notes/1'),
  'GET /api/v1/triggers': (names) => [
    ...get('/api/v1/triggers'),
    ...perPackage(({ name }) => `/api/v1/triggers?query=${name}`)(names),
  ],
  'GET /api/v1/triggers/:package/:version': perPackage(({ name }) => `/api/v1/triggers/${name}/1`),
  'GET /api/v1/workers': () => get('/api/v1/workers'),
  'GET /api/v1/signatures': () => get('/api/v1/signatures', '/api/v1/signatures?order=new'),
  'GET /api/v1/signatures/:signature': () =>
    get(...SIGNATURES.map((signature) => `/api/v1/signatures/${signature}`)),
  'GET /api/v1/workers/:name': () => get('/api/v1/workers/w1', '/api/v1/workers/w2'),
  'GET /api/v1/packages': () =>
    get('/api/v1/packages', '/api/v1/packages?backend=', '/api/v1/packages?backend=qemu'),
  'GET /api/v1/keys': () => get('/api/v1/keys'),
  'GET /api/v1/retry/:run_id': perRun(({ runId }) => `/api/v1/retry/${runId}`),
  'GET /api/v1/test': () => get('/api/v1/test?since=0', '/api/v1/test'),
  'GET /api/v1/test/:run_id': perRun(({ runId }) => `/api/v1/test/${runId}`),
  'GET /api/v1/runs/:run_id/triage': perRun(({ runId }) => `/api/v1/runs/${runId}/triage`),
  'GET /api/v1/runs/:run_id/packages': perRun(({ runId }) => `/api/v1/runs/${runId}/packages`),
  'GET /api/v1/runs/:run_id/log': perRun(({ runId }) => `/api/v1/runs/${runId}/log`),
  'GET /api/v1/runs/:run_id/log/events': perRun(({ runId }) => `/api/v1/runs/${runId}/log/events`),
  'GET /api/v1/runs/:run_id/log/index': perRun(({ runId }) => `/api/v1/runs/${runId}/log/index`),
  'GET /api/v1/runs/:run_id/log/search': perRun(({ runId }) => `/api/v1/runs/${runId}/log/search?q=log`),
  'GET /api/v1/runs/:run_id/artifacts': perRun(({ runId }) => `/api/v1/runs/${runId}/artifacts`),
  'GET /api/v1/runs/:run_id/artifacts/*path': perRun(
    ({ runId }) => `/api/v1/runs/${runId}/artifacts/summary`,
  ),
  'GET /api/v1/openapi.json': () => get('/api/v1/openapi.json'),
  'GET /api/doc': () => get('/api/doc'),
  'GET /data/autopkgtest/:suite/:arch/:prefix/:package/:run_id/log.gz': fileOf('log.gz'),
  'GET /data/autopkgtest/:suite/:arch/:prefix/:package/:run_id/artifacts.tar.gz': fileOf('artifacts.tar.gz'),
  'GET /data/packages/:suite/:arch/:prefix/:package/latest.json': perPackage(
    (at) => `/data/packages/${dataOf(at)}/latest.json`,
  ),
  'GET /data/packages/:suite/:arch/:prefix/:package/history.json': (names) => [
    ...perPackage((at) => `/data/packages/${dataOf(at)}/history.json`)(names),
    ...perPackage((at) => `/data/packages/${dataOf(at)}/history.json?status=fail`)(names),
    ...perRun((run) => `/data/packages/${dataOf(run)}/history.json?before=${run.runId}`)(names),
  ],
  'GET /data/packages/:suite/:arch/:prefix/:package/months.json': perPackage(
    (at) => `/data/packages/${dataOf(at)}/months.json`,
  ),
  'GET /data/packages/:suite/:arch/:prefix/:package/latest-autopkgtest/log.gz': perPackage(
    (at) => `/data/packages/${dataOf(at)}/latest-autopkgtest/log.gz`,
  ),
  'GET /data/packages/:suite/:arch/:prefix/:package/latest-autopkgtest/artifacts.tar.gz': perPackage(
    (at) => `/data/packages/${dataOf(at)}/latest-autopkgtest/artifacts.tar.gz`,
  ),
  'GET /data/status/:suite/:arch/packages.json': perSuite((at) => `/data/status/${at}/packages.json`),
  'GET /data/status/:suite/:arch/status.json': perSuite((at) => `/data/status/${at}/status.json`),
  'GET /data/status/:suite/:arch/history.json': perSuite((at) => `/data/status/${at}/history.json`),
  'GET /data/status/:suite/:arch/:year/:month/:day.json': perSuite(
    (at) => `/data/status/${at}/${new Date().toISOString().slice(0, 10).replaceAll('-', '/')}.json`,
  ),
  'GET /api': () => get('/api'),
  'GET /doc': () => get('/doc'),
  'GET /experiments': () => get('/experiments/'),
  'GET /experiments/*rest': () => get('/experiments/1/'),
  'GET /user': () => get('/user'),
  'GET /user/logout': () => get('/user/logout'),
  'GET /user/auth/*way': () => get('/user/auth/failure'),
  'GET /data/feeds/all-packages.xml': () => get('/data/feeds/all-packages.xml'),
  'GET /data/feeds/:prefix/:file': perPackage(({ name }) => `/data/feeds/${packagePrefix(name)}/${name}.xml`),
  'GET /status/:list': () => LISTS.flatMap((name) => get(`/status/${name}/`)),
  'GET /-/request': () => get('/-/request'),
  'GET /status/:list.json': () =>
    LISTS.flatMap((name) => get(`/status/${name}.json?since=2000-01-01&minutes=1`)),
  'GET /status/:list.xml': () => LISTS.flatMap((name) => get(`/status/${name}.xml?since=2000-01-01`)),
  'GET /packages/:prefix.json': perPackage(({ name }) => `/packages/${packagePrefix(name)}.json`),
  'GET /status/statistics': () => get('/status/statistics/', '/status/statistics/?days=30&suite=bookworm'),
  'GET /status/statistics.json': () => get('/status/statistics.json'),
  'GET /status/pending/:suite': ({ suites }) => get(...suites.map((suite) => `/status/pending/${suite}/`)),
  'GET /': () => get('/'),
  'GET /packages/:prefix/:package/:suite/:arch': (names) => [
    ...perPackage((at) => `${pageOf(at)}/`)(names),
    ...perRun((run) => `${pageOf(run)}/?before=${run.runId}`)(names),
  ],
  'GET /packages/:prefix/:package/:suite/:arch/:run_id': perRun((run) => `${pageOf(run)}/${run.runId}/`),
  'GET /packages/:prefix/:package/:suite/:arch/latest': perPackage((at) => `${pageOf(at)}/latest`),
  'GET /packages/:prefix/:package/:suite/:arch/badge.svg': perPackage((at) => `${pageOf(at)}/badge.svg`),
  'GET /packages/:prefix/:package/:suite': perPackage((at) => `${packagePage(at)}${at.suite}/`),
  'GET /packages/:prefix/:package/badge.svg': perPackage((at) => `${packagePage(at)}badge.svg`),
  'GET /style': () => get('/style/'),
  'GET /robots.txt': () => get('/robots.txt'),
  'GET /favicon.ico': () => get('/favicon.ico'),
  'GET /-/live': (names) => [
    ...get('/-/live', '/-/live?of=x'),
    ...get('/-/live?of=queues', '/-/live?of=workers', '/-/live?of=worker/w1').map(asHead),
    ...perPackage(({ name }) => `/-/live?of=package/${name}`)(names).map(asHead),
    ...perRun(({ runId }) => `/-/live?of=run/${runId}`)(names).map(asHead),
  ],
  'GET /packages/-/search': (names) => [
    ...get(
      '/packages/-/search?query=words%20that%20only%20private%20runs%20hold',
      '/packages/-/search?query=s/1',
    ),
    ...perPackage(({ name }) => `/packages/-/search?query=${name}`)(names),
    ...perRun(({ runId }) => `/packages/-/search?query=${runId}`)(names),
  ],
  'GET /packages/-/search.json': (names) => [
    ...perPackage(({ name }) => `/packages/-/search.json?query=${name.slice(1)}`)(names),
    ...perRun(({ runId }) => `/packages/-/search.json?query=${runId}`)(names),
  ],
  'GET /-/suggest': (names) => [
    ...perPackage(({ name }) => `/-/suggest?query=${name.slice(0, 3)}`)(names),
    ...perRun(({ runId }) => `/-/suggest?query=${runId}`)(names),
  ],
  'GET /packages/-/suggest': perPackage(({ name }) => `/packages/-/suggest?query=${name.slice(0, 3)}`),
  'GET /:package': perPackage(({ name }) => `/${name}`),
  'GET /packages/:prefix/:package/:suite/:arch/:run_id/log': perRun(
    (run) => `${pageOf(run)}/${run.runId}/log`,
  ),
  'GET /packages/:prefix/:package/:suite/:arch/:run_id/log/events': perRun(
    (run) => `${pageOf(run)}/${run.runId}/log/events`,
  ),
  'GET /packages/:prefix/:package/:suite/:arch/:run_id/raw': perRun(
    (run) => `${pageOf(run)}/${run.runId}/raw`,
  ),
  'GET /packages/:prefix/:package/:suite/:arch/:run_id/artifacts': perRun(
    (run) => `${pageOf(run)}/${run.runId}/artifacts/`,
  ),
  'GET /packages/:prefix/:package/:suite/:arch/:run_id/artifacts/*path': perRun(
    (run) => `${pageOf(run)}/${run.runId}/artifacts/summary`,
  ),
  'GET /packages/:prefix/:package/:suite/:arch/:run_id/packages': perRun(
    (run) => `${pageOf(run)}/${run.runId}/packages`,
  ),
  'GET /packages/:prefix/:package/:suite/:arch/:run_id/packages.json': perRun(
    (run) => `${pageOf(run)}/${run.runId}/packages.json`,
  ),
  'GET /runs/:run_id': perRun(({ runId }) => `/runs/${runId}`),
  'GET /compare/:pair': perRun(({ runId }) => `/compare/${runId}...${runId}`),
  'GET /triggers': (names) => [
    ...get('/triggers/'),
    ...perPackage(({ name }) => `/triggers/?query=${name}/1`)(names),
  ],
  'GET /triggers/feed.xml': () => get('/triggers/feed.xml'),
  'GET /triggers/list.json': () => get('/triggers/list.json'),
  'GET /triggers/:package/:version/tests.json': perPackage(({ name }) => `/triggers/${name}/1/tests.json`),
  'GET /triggers/:package/:version/feed.xml': perPackage(({ name }) => `/triggers/${name}/1/feed.xml`),
  'GET /triggers/:package/:version': perPackage(({ name }) => `/triggers/${name}/1`),
  'GET /packages': () => get('/packages/'),
  'GET /packages/:prefix': perPackage(({ name }) => `/packages/${packagePrefix(name)}/`),
  'GET /packages/:prefix/:package': perPackage(packagePage),
  'GET /status/errors/:signature.json': () =>
    get(...SIGNATURES.map((signature) => `/status/errors/${signature}.json`)),
  'GET /status/errors/:signature': ({ runs }) =>
    get(
      ...SIGNATURES.map((signature) => `/status/errors/${signature}`),
      ...runs.map(({ runId }) => `/status/errors/${SIGNATURES[0]}?before=${runId}`),
    ),
  'GET /status/queue': () => get('/status/queue/', '/status/queue/?suite=bookworm&arch=amd64'),
  'GET /status/queue/hours.json': () =>
    get('/status/queue/hours.json', '/status/queue/hours.json?arch=amd64'),
  'GET /status/queue.json': () => get('/status/queue.json'),
  'GET /status/queue.xml': () => get('/status/queue.xml'),
  'GET /status/workers.xml': () => get('/status/workers.xml'),
  'GET /status/statistics.xml': () => get('/status/statistics.xml?days=30'),
  'GET /status/workers': () => get('/status/workers/'),
  'GET /status/workers.json': () => get('/status/workers.json'),
  'GET /status/workers/:name.json': () => get('/status/workers/w1.json', '/status/workers/w2.json'),
  'GET /status/workers/:name': () => get('/status/workers/w1', '/status/workers/w2', '/status/workers/w3'),
  'GET /status': () => get('/status/'),
  'GET /status/:suite/:arch': (names) =>
    ['', '?status=fail', '?after=a'].flatMap((query) => perSuite((at) => `/status/${at}/${query}`)(names)),
  'GET /health': () => get('/health'),
  'GET /health/live': () => get('/health/live'),
  // Its form has a token that is drawn, and it knows of no run.
  'GET /user/login': () => [],
  'GET /user/login/:provider': () => get('/user/login/none'),
  'GET /user/login/:provider/callback': () => get('/user/login/none/callback?state=x&code=y'),
  'GET /user/:user': () => get('/user/alice'),
  'GET /user/:user/keys': () => get('/user/alice/keys'),
  'GET /user/:user/webhooks': () => get('/user/alice/webhooks'),
  'GET /user/:user/webhooks/:webhook_id': () => get('/user/alice/webhooks/1'),
  'GET /user/:user/getkey': () => get('/user/alice/getkey'),
  'GET /user/:user/jobs': () => get('/user/alice/jobs'),
  'GET /user/:user/jobs.json': () => get('/user/alice/jobs.json'),
  'GET /user/:user/packages': () => get('/user/alice/packages'),
  'GET /user/:user/packages.json': () => get('/user/alice/packages.json'),
  'GET /data/followed/:file': () => get('/data/followed/x.xml', `/data/followed/${'x'.repeat(43)}.xml`),
  'GET /user/:user/test': () => get('/user/alice/test'),
  'GET /user/:user/test/publish': ({ runs }) =>
    get(`/user/alice/test/publish?run_ids=${runs.map(({ runId }) => runId).join(',')}`),
  'GET /user/:user/retry/:run_id': perRun(({ runId }) => `/user/alice/retry/${runId}`),
};

/** Who asks what: with the key of another user, with another key of the user, as a browser and as a program without any. */
function strangersTo({ keys }: RunningApi): [string, Record<string, string>, (ask: Ask) => boolean][] {
  const isPage = ({ path }: Ask): boolean => !/^\/(api\/v1|data|health)/.test(path);
  const isOfApi = ({ path }: Ask): boolean => path.startsWith('/api/v1');
  const looksAtKeys = ({ path }: Ask): boolean => /^\/(api\/v1|data\/autopkgtest)/.test(path);
  // Without a key the API has one answer for all.
  const needsNone = ({ path }: Ask): boolean => /^\/(api\/v1\/\w+$|data|health)/.test(path);
  const isPublic = ({ method, path }: Ask): boolean =>
    ['GET', 'HEAD'].includes(method) && publicReadOf(asPublic(path).split('?')[0]!) !== null;
  return [
    ['another user', { 'Auth-Key': keys.bob }, looksAtKeys],
    ['another key', { 'Auth-Key': keys.aliceSecond }, isOfApi],
    ['a browser', { Accept: 'text/html' }, isPage],
    ['a program', { Accept: 'application/json' }, needsNone],
    ['everybody', {}, isPublic],
  ];
}

/** The path of the same answer for everybody. */
function asPublic(path: string): string {
  return path.replace('/api/v1/', '/data/v1/');
}

/**
 * @param atOnce requests that are under way at a time; the answers come in the order of the requests
 * @param earlier answers that need not be requested again
 */
export async function requestViews(
  api: RunningApi,
  asks: Ask[],
  atOnce = 1,
  earlier: Record<string, ViewAnswers> = {},
): Promise<Record<string, ViewAnswers>> {
  const todo = strangersTo(api).flatMap(([name, headers, asksThis]) => {
    const times = new Map<string, number>();
    return asks.flatMap((each) => {
      if (!asksThis(each)) return [];
      const ask = name === 'everybody' ? { ...each, path: asPublic(each.path) } : each;
      const what = `${ask.method} ${ask.path}`;
      const time = times.get(what) ?? 0;
      times.set(what, time + 1);
      return [{ key: `${name}: ${time} ${what}`, headers, ask }];
    });
  });
  const answers = { ...earlier };
  const open = todo.filter(({ key }) => !(key in earlier));
  for (let next = 0; next < open.length; next += atOnce) {
    const some = open.slice(next, next + atOnce);
    const texts = await Promise.all(some.map(({ ask, headers }) => answer(api, ask, headers)));
    for (const [index, { key }] of some.entries()) answers[key] = texts[index]!;
  }
  return Object.fromEntries(todo.map(({ key }) => [key, answers[key]!]));
}

async function answer(
  api: RunningApi,
  { method, path, headers, body }: Ask,
  own: Record<string, string>,
): Promise<ViewAnswers> {
  const response = await api.fetch(path, {
    ...{ method, headers: { ...own, ...headers } },
    ...(body !== undefined && { body }),
  });
  const others = [...response.headers].filter(([header]) => !OWN_HEADERS.includes(header));
  const facts = { status: response.status, headers: Object.fromEntries(others) };
  // Events of a public run that is executed go on: they have what its worker writes, which no test does here.
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return { ...facts, body: await response.text() };
  await response.body?.cancel();
  return { ...facts, body: '' };
}
