import type { Check } from '../check';
import { json, urlencoded } from '../exchange';
import { equal, includes, matches, ok, problem, status, TIME } from '../expectations';
import { nowSeconds } from '../instance';

/** Every endpoint that needs a key, with a run id that does not exist. */
const ENDPOINTS: [string, string][] = [
  ['GET', '/auth'],
  ['GET', '/reject_list'],
  ['GET', '/retry/999999999'],
  ['POST', '/retry/999999999'],
  ['GET', '/test?since=0'],
  ['GET', '/test/999999999'],
  ['DELETE', '/test/999999999'],
  ['POST', '/test/batch'],
  ['POST', '/test/publish'],
  ['POST', '/test/unstable/amd64'],
  ['POST', '/test/unstable/amd64/hello'],
  ['GET', '/packages'],
  ['GET', '/queues'],
];

export const keyChecks: Check[] = [
  {
    id: 'KEY-01',
    title: 'a valid key gets 200',
    run: async (it) => void status(await it.api('/auth'), 200),
  },
  {
    id: 'KEY-02',
    title: 'the answer to a valid key names its user in Auth-User',
    async run(it) {
      const user = status(await it.api('/auth'), 200).header('auth-user');
      ok(user, '/auth: there is no Auth-User');
      if (it.options.password) equal(user, it.options.password.split(':')[0], '/auth: Auth-User');
    },
  },
  {
    id: 'KEY-03',
    title: 'every endpoint refuses a request without a key with 403',
    async run(it) {
      for (const [method, path] of ENDPOINTS) problem(await it.api(path, { method, key: null }), 403);
    },
  },
  {
    id: 'KEY-04',
    title: 'an empty, unknown or malformed key is refused with 403',
    async run(it) {
      const almost = it.options.key.slice(0, -1) + (it.options.key.endsWith('a') ? 'b' : 'a');
      const longer = `${it.options.key}a`;
      for (const key of ['', 'unknown', almost, longer, "' or 1=1 --", 'x'.repeat(8000), '\u00ff']) {
        for (const path of ['/auth', '/test?since=0', '/packages']) problem(await it.api(path, { key }), 403);
      }
    },
  },
  {
    id: 'KEY-05',
    title: 'without a key the answer comes before the body is read',
    async run(it) {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': '30000000' };
      status(await it.apiUnsent(it.listPath(), headers), 403);
    },
  },
  {
    id: 'KEY-06',
    title: 'a key counts in the header only, not in the address or the body',
    async run(it) {
      const key = it.options.key;
      problem(
        await it.api(`/auth?Auth-Key=${encodeURIComponent(key)}&key=${encodeURIComponent(key)}`, {
          key: null,
        }),
        403,
      );
      const body = urlencoded({ 'Auth-Key': key, tests: '[]' });
      problem(await it.api(it.listPath(), { ...body, key: null }), 403);
    },
  },
  {
    id: 'KEY-07',
    title: 'Auth-User is on every answer to a valid key, refusals included',
    async run(it) {
      const user = (await it.api('/auth')).header('auth-user');
      const answers = [
        await it.api('/test?since=abc'),
        await it.api('/test/999999999'),
        await it.api('/auth', { method: 'DELETE' }),
        await it.api('/packages'),
        await it.api('/reject_list'),
        await it.post([]),
      ];
      equal(
        answers.map((answer) => answer.status),
        [400, 404, 405, 200, 200, 201],
        'the statuses',
      );
      for (const answer of answers) equal(answer.header('auth-user'), user, `${answer.name}: Auth-User`);
    },
  },
  {
    id: 'KEY-08',
    title: 'an unknown endpoint looks at the key first: 403 without, 404 and Auth-User with one',
    async run(it) {
      for (const path of ['', '/nothing', '/auth/more', '/nothing/here/at/all']) {
        problem(await it.api(path, { key: null }), 403);
        const answer = await it.api(path);
        problem(answer, 404);
        ok(answer.header('auth-user'), `${answer.name}: there is no Auth-User`);
      }
    },
  },
  {
    id: 'KEY-09',
    title: 'the answer to a refused key has no user name',
    async run(it) {
      for (const key of [null, '', 'unknown']) {
        const answer = status(await it.api('/auth', { key }), 403);
        equal(answer.header('auth-user'), undefined, `${answer.name}: Auth-User`);
      }
    },
  },
  {
    id: 'KEY-10',
    title: 'unknown and malformed keys take the same time',
    async run(it) {
      const unknown = it.options.key.split('').reverse().join('');
      const times: [number[], number[]] = [[], []];
      for (let round = 0; round < 80; round += 1) {
        for (const [index, key] of [unknown, '?'].entries()) {
          const start = performance.now();
          status(await it.api('/auth', { key }), 403);
          times[index]!.push(performance.now() - start);
        }
      }
      const [ofUnknown, ofMalformed] = times.map((list) => list.sort((a, b) => a - b)[40]!);
      const difference = Math.abs(ofUnknown! - ofMalformed!);
      // Where both take long, as on a busy machine, they differ by more.
      ok(difference < Math.max(5, ofMalformed! / 4), `the medians differ by ${difference.toFixed(1)} ms`);
    },
  },
];

export const managementChecks: Check[] = [
  {
    id: 'AKM-01',
    title: 'keys are managed with the password, not with a key: 401 and how to authenticate',
    async run(it) {
      for (const key of [null, it.options.key]) {
        const answer = await it.api('/keys', { key });
        problem(answer, 401);
        matches(answer.header('www-authenticate'), /^Basic /i, `${answer.name}: WWW-Authenticate`);
        problem(await it.api('/keys', { ...json({ name: 'x' }), key }), 401);
        problem(await it.api('/keys/1', { method: 'DELETE', key }), 401);
        problem(await it.api('/keys/1/rotate', { method: 'POST', key }), 401);
      }
    },
  },
  {
    id: 'AKM-02',
    title: 'a wrong password, an unknown user and broken credentials are refused with 401',
    needs: ['password'],
    async run(it) {
      const user = it.options.password!.split(':')[0]!;
      for (const pair of [`${user}:wrong`, `${user}:`, 'no-such-user:x', 'no-colon', '']) {
        problem(await it.keys('', {}, pair), 401);
      }
      problem(await it.fetch('/api/v1/keys', { headers: { Authorization: 'Basic ???' } }), 401);
    },
  },
  {
    id: 'AKM-03',
    title: 'a new key is shown once with its id, name and time, and opens the API for its user',
    needs: ['password'],
    async run(it) {
      const name = it.name('key');
      const answer = status(await it.keys('', json({ name })), 201);
      const newKey = answer.json<{ id: number; name: string; key: string; created_at: string }>();
      includes(newKey, { name }, 'the new key');
      matches(newKey.created_at, TIME, 'created_at');
      const opened = status(await it.api('/auth', { key: newKey.key }), 200);
      equal(opened.header('auth-user'), it.options.password!.split(':')[0], 'Auth-User of the new key');
    },
  },
  {
    id: 'AKM-04',
    title: 'the list of keys has name, prefix and last use, and no secret',
    needs: ['password'],
    async run(it) {
      const { id, key } = await it.newKey();
      type Row = { id: number; prefix: string; last_used_at: string | null };
      const find = async (): Promise<Row> => {
        const answer = status(await it.keys(''), 200);
        ok(!answer.text.includes(key), 'the list shows a secret');
        const row = answer.json<Row[]>().find((other) => other.id === id);
        ok(row, 'the new key is not in the list');
        return row;
      };
      const unused = await find();
      for (const field of ['id', 'name', 'prefix', 'created_at', 'last_used_at'])
        ok(field in unused, `${field} is missing`);
      ok(key.startsWith(unused.prefix) && unused.prefix.length < key.length / 2, `prefix ${unused.prefix}`);
      equal(unused.last_used_at, null, 'last_used_at of an unused key');
      status(await it.api('/auth', { key }), 200);
      ok((await find()).last_used_at !== null, 'last_used_at is still null after a use');
    },
  },
  {
    id: 'AKM-05',
    title: 'a deleted key is dead at once and can be deleted once',
    needs: ['password'],
    async run(it) {
      const { id, key } = await it.newKey();
      status(await it.api('/auth', { key }), 200);
      status(await it.keys(`/${id}`, { method: 'DELETE' }), 200, 204);
      problem(await it.api('/auth', { key }), 403);
    },
  },
  {
    id: 'AKM-06',
    title: 'rotating replaces the secret and keeps id and results',
    needs: ['password'],
    async run(it) {
      const { id, key } = await it.newKey();
      const before = nowSeconds() - 5;
      const runId = await it.submitOne({ is_private: true }, { key });
      const answer = status(await it.keys(`/${id}/rotate`, { method: 'POST' }), 200, 201);
      const rotated = answer.json<{ id: number; key: string }>();
      equal(rotated.id, id, 'the id after rotation');
      ok(rotated.key !== key, 'the secret is the old one');
      problem(await it.api('/auth', { key }), 403);
      const { results } = await it.since(before, { key: rotated.key });
      equal(
        results.map((run) => run.run_id),
        [runId],
        'the results of the rotated key',
      );
    },
  },
  {
    id: 'AKM-07',
    title: 'a key without a proper name is a bad request, an unknown id is not found',
    needs: ['password'],
    async run(it) {
      for (const body of [{}, { name: 5 }, { name: '' }, { name: null }, [], { name: 'a\u0000b' }]) {
        problem(await it.keys('', json(body)), 400);
      }
      for (const id of ['999999999', '99999999999999999999']) {
        problem(await it.keys(`/${id}`, { method: 'DELETE' }), 404);
        problem(await it.keys(`/${id}/rotate`, { method: 'POST' }), 404);
      }
    },
  },
  {
    id: 'AKM-08',
    title: 'a secret has 160 bits or more and is never the same twice',
    needs: ['password'],
    async run(it) {
      const [one, two] = [(await it.newKey()).key, (await it.newKey()).key];
      const alphabet = /^[0-9a-f_-]+$/.test(one) ? 16 : /^[0-9a-z_-]+$/.test(one) ? 36 : 62;
      let common = 0;
      while (one[common] === two[common]) common += 1;
      const bits = (one.length - common) * Math.log2(alphabet);
      ok(bits >= 150, `what differs between two keys carries about ${bits.toFixed(0)} bits`);
    },
  },
];
