import { packagePrefix } from '@proctor/contracts';
import type { RunningApi } from '../../../support/api';

/** What is asked for: what everybody knows, and what nobody but a user knows, where there is any. */
export interface Names {
  suites: string[];
  /** With the suite on which each is tested. */
  packages: { name: string; suite: string }[];
  runs: { runId: number; name: string; suite: string; isBobs: boolean }[];
}

/** One request of a stranger. */
export interface Ask {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Seen {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Headers that are not compared.
 * - `date`: the time of the answer.
 */
const OWN_HEADERS = ['date'];

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'Content-Type': 'application/json' };

type Asks = (names: Names) => Ask[];
const get = (...paths: string[]): Ask[] => paths.map((path) => ({ method: 'GET', path }));
const post = (path: string, body: object): Ask => {
  return { method: 'POST', path, headers: JSON_BODY, body: JSON.stringify(body) };
};

const dataOf = ({ name, suite }: { name: string; suite: string }): string =>
  `${suite}/amd64/${packagePrefix(name)}/${name}`;

const pageOf = ({ name, suite }: { name: string; suite: string }): string =>
  `/packages/${packagePrefix(name)}/${name}/${suite}/amd64`;

const perSuite =
  (path: (place: string) => string): Asks =>
  ({ suites }) =>
    get(...suites.map((suite) => path(`${suite}/amd64`)));

const perPackage =
  (path: (at: Names['packages'][number]) => string): Asks =>
  ({ packages }) =>
    get(...packages.map(path));

const perRun =
  (path: (run: Names['runs'][number]) => string): Asks =>
  ({ runs }) =>
    get(...runs.map(path));

const fileOf = (file: string): Asks =>
  perRun((run) => `/data/autopkgtest/${dataOf(run)}/${run.runId}/${file}`);

/** Every route of the application is here or in `CHANGES`. */
export const VIEWS: Record<string, Asks> = {
  'GET /api/v1/auth': () => get('/api/v1/auth'),
  'GET /api/v1/reject_list': () => get('/api/v1/reject_list'),
  'GET /api/v1/queues': () => get('/api/v1/queues'),
  'GET /api/v1/workers': () => get('/api/v1/workers'),
  'GET /api/v1/packages': () =>
    get('/api/v1/packages', '/api/v1/packages?backend=', '/api/v1/packages?backend=qemu'),
  'GET /api/v1/keys': () => get('/api/v1/keys'),
  'GET /api/v1/retry/:run_id': perRun(({ runId }) => `/api/v1/retry/${runId}`),
  'GET /api/v1/admin/decisions': () => get('/api/v1/admin/decisions'),
  'GET /api/v1/admin/workers': () => get('/api/v1/admin/workers'),
  'GET /api/v1/test': () => get('/api/v1/test?since=0', '/api/v1/test'),
  'GET /api/v1/test/:run_id': perRun(({ runId }) => `/api/v1/test/${runId}`),
  'GET /api/v1/openapi.json': () => get('/api/v1/openapi.json'),
  'GET /api/doc': () => get('/api/doc'),
  'GET /data/autopkgtest/:suite/:arch/:prefix/:package/:run_id/log.gz': fileOf('log.gz'),
  'GET /data/autopkgtest/:suite/:arch/:prefix/:package/:run_id/artifacts.tar.gz': fileOf('artifacts.tar.gz'),
  'GET /data/packages/:suite/:arch/:prefix/:package/latest.json': perPackage(
    (at) => `/data/packages/${dataOf(at)}/latest.json`,
  ),
  'GET /data/packages/:suite/:arch/:prefix/:package/history.json': (names) => [
    ...perPackage((at) => `/data/packages/${dataOf(at)}/history.json`)(names),
    ...perRun((run) => `/data/packages/${dataOf(run)}/history.json?before=${run.runId}`)(names),
  ],
  'GET /data/packages/:suite/:arch/:prefix/:package/latest-autopkgtest/log.gz': perPackage(
    (at) => `/data/packages/${dataOf(at)}/latest-autopkgtest/log.gz`,
  ),
  'GET /data/status/:suite/:arch/packages.json': perSuite((at) => `/data/status/${at}/packages.json`),
  'GET /data/status/:suite/:arch/status.json': perSuite((at) => `/data/status/${at}/status.json`),
  'GET /data/status/:suite/:arch/history.json': perSuite((at) => `/data/status/${at}/history.json`),
  'GET /data/feeds/all-packages.xml': () => get('/data/feeds/all-packages.xml'),
  'GET /data/feeds/:prefix/:file': perPackage(({ name }) => `/data/feeds/${packagePrefix(name)}/${name}.xml`),
  'GET /': () => get('/'),
  'GET /packages/:prefix/:package/:suite/:arch': (names) => [
    ...perPackage((at) => `${pageOf(at)}/`)(names),
    ...perRun((run) => `${pageOf(run)}/?before=${run.runId}`)(names),
  ],
  'GET /packages/:prefix/:package/:suite/:arch/:run_id': perRun((run) => `${pageOf(run)}/${run.runId}/`),
  'GET /packages': () => get('/packages/'),
  'GET /packages/:prefix': perPackage(({ name }) => `/packages/${packagePrefix(name)}/`),
  'GET /packages/:prefix/:package': perPackage(({ name }) => `/packages/${packagePrefix(name)}/${name}/`),
  'GET /status': () => get('/status/'),
  'GET /status/:suite/:arch': (names) =>
    ['', '?status=fail', '?after=a'].flatMap((query) => perSuite((at) => `/status/${at}/${query}`)(names)),
  'GET /health': () => get('/health'),
};

/** All runs, wherever they may be said to be. */
const selections = ({ runs, packages, suites }: Names): object[] => [
  { run_ids: runs.map(({ runId }) => runId) },
  ...packages.map(({ name }) => ({ package: name })),
  ...suites.map((suite) => ({ suite })),
  { arch: 'amd64' },
];

/** What would change something, for who may: the answers to a stranger. */
export const CHANGES: Record<string, Asks> = {
  'POST /api/v1/test/cancel': (names) =>
    selections(names).flatMap((selection) => [
      post('/api/v1/test/cancel', selection),
      post('/api/v1/test/cancel', { ...selection, everyone: true }),
    ]),
  'POST /api/v1/test/priority': (names) =>
    selections(names).map((selection) => post('/api/v1/test/priority', { ...selection, priority: 1 })),
  'POST /api/v1/test/publish': ({ runs }) => [
    post('/api/v1/test/publish', { run_ids: runs.map(({ runId }) => runId).join(',') }),
  ],
  // Bob may cancel his own, and is told when that was.
  'DELETE /api/v1/test/:run_id': ({ runs }) =>
    runs.flatMap(({ runId, isBobs }) =>
      isBobs ? [] : [{ method: 'DELETE', path: `/api/v1/test/${runId}` }],
    ),
  'POST /api/v1/retry/:run_id': ({ runs }) =>
    runs.flatMap(({ runId }) => {
      const path = `/api/v1/retry/${runId}`;
      return [{ method: 'POST', path, headers: { 'Idempotency-Key': 'again' } }, post(path, {})];
    }),
  'POST /api/v1/test/:suite/:arch': ({ packages, suites }) =>
    suites.map((suite) =>
      post(
        `/api/v1/test/${suite}/amd64`,
        packages.map(({ name }) => ({ package: name })),
      ),
    ),
  'POST /api/v1/test/:suite/:arch/:package': ({ packages }) =>
    packages.map(({ name }) => ({
      method: 'POST',
      path: `/api/v1/test/bookworm/amd64/${name}`,
      headers: { ...FORM, 'Idempotency-Key': `once ${name}` },
      body: 'priority=7',
    })),
  'POST /api/v1/test/batch': ({ packages }) => [
    post('/api/v1/test/batch', {
      tests: [{ suite: 'trixie', arch: ['amd64'], tests: packages.map(({ name }) => ({ package: name })) }],
    }),
  ],
  'POST /api/v1/admin/pause': () => [post('/api/v1/admin/pause', { suite: 'bookworm', reason: 'x' })],
  'POST /api/v1/admin/resume': () => [post('/api/v1/admin/resume', { suite: 'bookworm' })],
  'POST /api/v1/admin/drain': () => [post('/api/v1/admin/drain', { worker: 'w1', reason: 'x' })],
  'POST /api/v1/admin/undrain': () => [post('/api/v1/admin/undrain', { worker: 'w1' })],
  'POST /api/v1/admin/trust': () => [post('/api/v1/admin/trust', { worker: 'w1' })],
  'POST /api/v1/admin/workers': () => [
    post('/api/v1/admin/workers', { name: 'w1', architectures: ['amd64'] }),
  ],
  'POST /api/v1/admin/workers/:name/rotate': () => [post('/api/v1/admin/workers/w1/rotate', {})],
  'POST /api/v1/admin/workers/:name/revoke': () => [post('/api/v1/admin/workers/w1/revoke', {})],
  'POST /api/v1/keys': () => [post('/api/v1/keys', { name: 'x' })],
  'POST /api/v1/keys/:id/rotate': () => [post('/api/v1/keys/1/rotate', {})],
  'DELETE /api/v1/keys/:id': () => [{ method: 'DELETE', path: '/api/v1/keys/1' }],
};

/** Who asks what: with the key of another user, with another key of the user, as a browser and as a program without any. */
function strangersTo({ keys }: RunningApi): [string, Record<string, string>, (ask: Ask) => boolean][] {
  const isPage = ({ path }: Ask): boolean => !/^\/(api\/v1|data|health)/.test(path);
  const isOfApi = ({ path }: Ask): boolean => path.startsWith('/api/v1');
  const looksAtKeys = ({ path }: Ask): boolean => /^\/(api\/v1|data\/autopkgtest)/.test(path);
  // Without a key the API has one answer for all.
  const needsNone = ({ path }: Ask): boolean => /^\/(api\/v1\/\w+$|data|health)/.test(path);
  return [
    ['another user', { 'Auth-Key': keys.bob }, looksAtKeys],
    ['another key', { 'Auth-Key': keys.aliceSecond }, isOfApi],
    ['a browser', { Accept: 'text/html' }, isPage],
    ['a program', { Accept: 'application/json' }, needsNone],
  ];
}

/** @param atOnce requests that are under way at a time; the answers come in the order of the requests */
export async function seen(api: RunningApi, asks: Ask[], atOnce = 1): Promise<Record<string, Seen>> {
  const todo = strangersTo(api).flatMap(([name, headers, asksThis]) =>
    asks.flatMap((ask, place) => (asksThis(ask) ? [{ name: `${name}: ${place}`, headers, ask }] : [])),
  );
  const answers: [string, Seen][] = [];
  for (let next = 0; next < todo.length; next += atOnce) {
    const some = todo.slice(next, next + atOnce);
    answers.push(
      ...(await Promise.all(
        some.map(async ({ name, headers, ask }): Promise<[string, Seen]> => {
          return [`${name} ${ask.method} ${ask.path}`, await answer(api, ask, headers)];
        }),
      )),
    );
  }
  return Object.fromEntries(answers);
}

async function answer(
  api: RunningApi,
  { method, path, headers, body }: Ask,
  own: Record<string, string>,
): Promise<Seen> {
  const response = await api.fetch(path, {
    ...{ method, headers: { ...own, ...headers } },
    ...(body !== undefined && { body }),
  });
  const told = [...response.headers].filter(([header]) => !OWN_HEADERS.includes(header));
  return { status: response.status, headers: Object.fromEntries(told), body: await response.text() };
}
