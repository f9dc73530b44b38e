import type { Check } from '../check';
import { json, type Answer } from '../exchange';
import { equal, matches, ok, problem, status } from '../expectations';

const BROWSER_ONLY = { 'Accept-Encoding': 'br, gzip;q=0.5' };

export const doorChecks: Check[] = [
  {
    id: 'PTH-01',
    title: 'doubled slashes are taken as one',
    async run(it) {
      const headers = { 'Auth-Key': it.options.key };
      for (const path of ['//api/v1/auth', '/api//v1/auth', '/api/v1//auth']) {
        status(await it.fetch(path, { headers }), 200);
        status(await it.fetch(path), 403);
      }
      const name = it.name();
      const path = `//api/v1${it.listPath()}`;
      const request = json([{ package: name }]);
      status(await it.fetch(path, { ...request, headers: { ...headers, ...request.headers } }), 201);
    },
  },
  {
    id: 'PTH-02',
    title: 'a trailing slash changes nothing',
    async run(it) {
      status(await it.api('/auth/'), 200);
      status(await it.api('/test/?since=0'), 200);
      status(await it.api(`${it.listPath()}/`, json([])), 201);
      status(await it.api(`${it.listPath()}/${it.name()}/`, { method: 'POST' }), 201);
    },
  },
  {
    id: 'HTT-01',
    title: 'HEAD is answered like GET, without a body',
    async run(it) {
      const runId = await it.submitOne();
      for (const path of [
        '/auth',
        '/reject_list',
        '/test?since=0',
        `/test/${runId}`,
        '/packages',
        '/queues',
        `/retry/${runId}`,
        '/openapi.json',
      ]) {
        const [head, get] = [await it.api(path, { method: 'HEAD' }), await it.api(path)];
        status(head, get.status);
        status(get, 200);
        equal(head.body.length, 0, `${head.name}: bytes of the body`);
        equal(head.header('content-type'), get.header('content-type'), `${head.name}: Content-Type`);
      }
    },
  },
  {
    id: 'HTT-02',
    title: 'what has not changed is answered with 304 to its ETag',
    async run(it) {
      // A waiting run has a reason, which may be another one the next moment.
      const runId = await it.cancelledRun();
      const ownPaths = ['/reject_list', '/packages', `/test/${runId}`, `/retry/${runId}`, '/openapi.json'];
      for (const path of ownPaths) {
        const answer = status(await it.api(path), 200);
        const etag = answer.header('etag');
        ok(etag, `${answer.name}: there is no ETag`);
        status(await it.api(path, { headers: { 'If-None-Match': etag } }), 304);
        status(await it.api(path, { headers: { 'If-None-Match': '"something-else"' } }), 200);
      }
    },
  },
  {
    id: 'HTT-03',
    title: 'answers of some size are compressed with gzip for who accepts it, and with nothing else',
    async run(it) {
      await it.submit(Array.from({ length: 20 }, () => ({ package: it.name() })));
      for (const path of ['/test?since=0', '/openapi.json']) {
        const gzip = status(await it.api(path, { headers: { 'Accept-Encoding': 'gzip' } }), 200);
        equal(gzip.header('content-encoding'), 'gzip', `${gzip.name}: Content-Encoding`);
        gzip.json();
        const many = status(await it.api(path, { headers: BROWSER_ONLY }), 200);
        equal(many.header('content-encoding'), 'gzip', `${many.name}: Content-Encoding when br is preferred`);
        const none = status(await it.api(path, { headers: { 'Accept-Encoding': 'br' } }), 200);
        equal(
          none.header('content-encoding'),
          undefined,
          `${none.name}: Content-Encoding when gzip is not accepted`,
        );
        none.json();
      }
    },
  },
  {
    id: 'HTT-04',
    title: 'answers have the headers of a careful server',
    async run(it) {
      for (const answer of [await it.fetch('/'), await it.api('/auth'), await it.api('/nothing')]) {
        equal(answer.header('x-content-type-options'), 'nosniff', `${answer.name}: X-Content-Type-Options`);
        equal(answer.header('x-powered-by'), undefined, `${answer.name}: X-Powered-By`);
      }
    },
  },
  {
    id: 'HTT-05',
    title: 'a key has 200 requests a second, and more are refused with Retry-After',
    needs: ['rate limit', 'password'],
    async run(it) {
      const { key } = await it.newKey();
      const allowedCount = it.options.requestsPerSecond!;
      const ask = () => it.api('/auth', { key });
      const inTime = await Promise.all(Array.from({ length: Math.min(allowedCount, 200) }, ask));
      for (const answer of inTime) status(answer, 200);
      const answers: Answer[] = [];
      const end = Date.now() + 150_000;
      while (!answers.some((answer) => answer.status !== 200)) {
        ok(Date.now() < end, `no request was refused, of ${answers.length}`);
        answers.push(...(await Promise.all(Array.from({ length: allowedCount }, ask))));
      }
      const refusal = answers.find((answer) => answer.status !== 200)!;
      problem(refusal, refusal.status === 503 ? 503 : 429);
      matches(refusal.header('retry-after'), /^\d+$/, `${refusal.name}: Retry-After`);
      status(await it.api('/auth'), 200);
    },
  },
  {
    id: 'DOC-01',
    title: 'an OpenAPI 3 document describes every endpoint and needs no key',
    async run(it) {
      const answer = status(await it.fetch('/api/v1/openapi.json'), 200);
      const { openapi, paths } = answer.json<{
        openapi: string;
        paths: Record<string, Record<string, unknown>>;
      }>();
      matches(openapi, /^3\./, 'the version of OpenAPI');
      const described = Object.entries(paths).flatMap(([path, methods]) => {
        const plain = path.replace(/^\/api\/v1/, '').replace(/\{[^}]*\}/g, '{}');
        return Object.keys(methods).map((method) => `${method} ${plain}`);
      });
      const due = [
        ...['get /auth', 'get /reject_list', 'get /retry/{}', 'post /retry/{}', 'get /test', 'get /test/{}'],
        ...[
          'delete /test/{}',
          'post /test/batch',
          'post /test/publish',
          'post /test/cancel',
          'post /test/priority',
          'post /test/{}/{}',
          'post /test/{}/{}/{}',
        ],
        ...[
          'get /packages',
          'get /queues',
          'get /workers',
          'get /admin/decisions',
          ...['pause', 'resume', 'drain', 'undrain', 'trust'].map((what) => `post /admin/${what}`),
          ...['get /admin/workers', 'post /admin/workers'],
          ...['rotate', 'revoke'].map((what) => `post /admin/workers/{}/${what}`),
          'get /keys',
          'post /keys',
          'delete /keys/{}',
          'post /keys/{}/rotate',
        ],
      ];
      equal(
        due.filter((endpoint) => !described.includes(endpoint)),
        [],
        'endpoints that are not described',
      );
    },
  },
  {
    id: 'DOC-02',
    title: 'a page describes how the API is used, without a key',
    async run(it) {
      const answer = status(await it.fetch('/api/doc'), 200);
      equal(answer.type, 'text/html', `${answer.name}: content type`);
      for (const word of ['Auth-Key', 'since', 'until', 'priority'])
        ok(answer.text.includes(word), `${word} is not explained`);
    },
  },
];
