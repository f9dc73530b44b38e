import type { Check } from '../check';
import { json, multipart, urlencoded, type Answer } from '../exchange';
import { equal, matches, ok, pointsAt, problem, status } from '../expectations';
import { nowSeconds } from '../instance';

export const errorChecks: Check[] = [
  {
    id: 'ERR-01',
    title: 'refusals are problem documents with title, status and a detail of one sentence',
    async run(it) {
      problem(await it.api('/test?since=abc'), 400);
      problem(await it.api('/auth', { key: 'x' }), 403);
      problem(await it.api('/nothing'), 404);
      problem(await it.api('/auth', { method: 'POST' }), 405);
    },
  },
  {
    id: 'ERR-02',
    title: 'errors in a body are listed with a JSON pointer each',
    async run(it) {
      pointsAt(await it.post([{ package: 'hello' }, { package: 5 }]), '/1/package');
      pointsAt(await it.post({ tests: [{ package: 'hello', priority: 11 }] }), '/tests/0/priority');
    },
  },
  {
    id: 'ERR-03',
    title: 'the detail names the field and the value',
    async run(it) {
      problem(await it.api(`${it.listPath()}/hello?priority=11`, { method: 'POST' }), 400, 'priority', '11');
      problem(await it.api('/test?since=soon'), 400, 'since', 'soon');
      problem(
        await it.api('/test/no-such-suite/amd64/hello', { method: 'POST' }),
        400,
        'suite',
        'no-such-suite',
      );
    },
  },
  {
    id: 'ERR-04',
    title: 'an unknown run id is not found, and so is one that cannot exist',
    async run(it) {
      for (const id of ['999999999', '0', '99999999999999999999999']) {
        problem(await it.api(`/test/${id}`), 404);
        problem(await it.api(`/test/${id}`, { method: 'DELETE' }), 404);
        problem(await it.api(`/retry/${id}`, { method: 'POST' }), 404);
        status(await it.api(`/retry/${id}`), 404);
      }
    },
  },
  {
    id: 'ERR-05',
    title: "another user's private run looks like one that does not exist",
    needs: ['other key'],
    async run(it) {
      const name = it.name();
      const runId = await it.submitOne({ package: name, is_private: true });
      const key = it.otherKey;
      for (const [method, path] of [
        ['GET', '/test'],
        ['DELETE', '/test'],
        ['POST', '/retry'],
      ] as const) {
        const [foreign, unknown] = [
          await it.api(`${path}/${runId}`, { method, key }),
          await it.api(`${path}/999999999`, { method, key }),
        ];
        problem(foreign, 404);
        equal(
          foreign.text.replaceAll(String(runId), '#'),
          unknown.text.replaceAll('999999999', '#'),
          `${foreign.name}: the document`,
        );
      }
    },
  },
  {
    id: 'ERR-06',
    title: 'the answer to a wrong method names the allowed ones',
    async run(it) {
      const wrong: [string, string, string][] = [
        ['POST', '/auth', 'GET'],
        ['DELETE', '/reject_list', 'GET'],
        ['GET', it.listPath(), 'POST'],
        ['PUT', `${it.listPath()}/hello`, 'POST'],
        ['PUT', '/test/1', 'DELETE'],
        ['PATCH', '/retry/1', 'POST'],
        ['DELETE', '/packages', 'GET'],
      ];
      for (const [method, path, allowed] of wrong) {
        const answer = await it.api(path, { method });
        problem(answer, 405);
        matches(answer.header('allow'), new RegExp(`\\b${allowed}\\b`), `${answer.name}: Allow`);
      }
    },
  },
  {
    id: 'ERR-07',
    title: 'a body past the limit is refused with 413 as soon as its length is announced',
    async run(it) {
      const headers = {
        'Auth-Key': it.options.key,
        'Content-Type': 'application/json',
        'Content-Length': '99000000000',
      };
      problem(await it.apiUnsent(it.listPath(), headers), 413);
    },
  },
  {
    id: 'ERR-08',
    title: 'NUL makes a package name invalid, and any other field a bad request',
    async run(it) {
      const { ignored } = await it.submit([{ package: 'hel\u0000lo' }]);
      equal(
        ignored.map(({ reason }) => reason),
        ['invalid-name'],
        'the reason',
      );
      problem(await it.post([{ package: it.name(), trigger: 'a\u0000b' }]), 400);
      problem(await it.post([{ package: it.name(), backend: 'a\u0000b' }]), 400);
      problem(await it.api(`${it.listPath()}/${it.name()}?trigger=a%00b`, { method: 'POST' }), 400);
    },
  },
  {
    id: 'ERR-09',
    title: 'what is not UTF-8 is a bad request, in bodies and in paths',
    async run(it) {
      const body = Buffer.concat([
        Buffer.from('[{"package":"hello","trigger":"'),
        Buffer.from([0xff, 0xc0]),
        Buffer.from('"}]'),
      ]);
      problem(await it.post(undefined, { body }), 400);
      problem(await it.api(it.listPath(), { ...urlencoded({}), body: 'tests=%5B%5D&trigger=%ff' }), 400);
      const file = multipart({ tests: { file: '[{"package":"hello","trigger":"\xff"}]' } });
      problem(
        await it.api(it.listPath(), { ...file, body: Buffer.from(file.body as string, 'latin1') }),
        400,
      );
      problem(await it.api('/test/%ff'), 400);
      problem(await it.api(`${it.listPath()}/${it.name()}?trigger=%ff`, { method: 'POST' }), 400, '%ff');
    },
  },
  {
    id: 'ERR-10',
    title: 'a parameter that is given twice is a bad request',
    async run(it) {
      const twice = multipart({ tests: '[]', 'tests"; filename="a': '[]' });
      problem(await it.api(it.listPath(), twice), 400, 'tests');
      const path = `${it.listPath()}/${it.name()}`;
      problem(await it.api(`${path}?priority=5&priority=5`, { method: 'POST' }), 400);
      problem(await it.api('/test?since=1&since=2'), 400);
      problem(
        await it.api(
          it.listPath(),
          urlencoded([
            ['tests', '[]'],
            ['tests', '[]'],
          ]),
        ),
        400,
      );
    },
  },
  {
    id: 'ERR-11',
    title: 'a JSON value of any kind in any place is answered with 4xx, never 5xx',
    async run(it) {
      const values = [null, true, 0, -1.5, 1e308, '', 'x', [], [[]], {}, { a: 1 }, 'x'.repeat(100_000)];
      const fields = [
        'package',
        'trigger',
        'pin-packages',
        'is_private',
        'extra-apt-sources',
        'backend',
        'autopkgtest',
        'priority',
      ];
      const answers: Answer[] = [];
      for (const value of values) {
        for (const path of [it.listPath(), '/test/batch', '/test/publish', `${it.listPath()}/A`]) {
          answers.push(
            await it.api(path, json(value)),
            await it.api(path, json({ tests: value, run_ids: value })),
          );
        }
        for (const field of fields) {
          answers.push(await it.post([{ package: 'Invalid_Name', [field]: value }]));
          answers.push(
            await it.api(`${it.listPath()}/A`, json({ [field]: value, extra_apt_sources: value })),
          );
        }
      }
      for (const answer of answers) ok(answer.status < 500, `${answer.name}: ${answer.text.slice(0, 200)}`);
    },
  },
  {
    id: 'ERR-12',
    title: 'a request with one bad part creates nothing at all',
    async run(it) {
      const before = nowSeconds() - 5;
      const name = it.name();
      problem(await it.post([{ package: name }, { package: name, trigger: 7 }]), 400);
      problem(await it.api(it.listPath(), json({ tests: [{ package: name }], priority: 0 })), 400);
      const parts = [
        { suite: it.suite, arch: it.quietArch, tests: [{ package: name }] },
        { suite: 'no-such-suite', arch: it.quietArch, tests: [{ package: name }] },
      ];
      problem(await it.api('/test/batch', json({ tests: parts })), 400);
      const { results } = await it.since(before);
      equal(
        results.filter((run) => run.package === name),
        [],
        'runs of refused requests',
      );
    },
  },
  {
    id: 'ERR-13',
    title: 'no answer shows a stack or a path of the server',
    async run(it) {
      for (const answer of [
        await it.post(undefined, { body: '{{{{' }),
        await it.api('/nothing/../../etc/passwd'),
        await it.fetch('/data/packages/%00/a/b/c/latest.json'),
      ]) {
        ok(answer.status >= 400 && answer.status < 500, `${answer.name}: 4xx was due`);
        ok(
          !/\bat .*\(.*:\d+:\d+\)|node_modules|\.js:\d+/.test(answer.text),
          `${answer.name}: ${answer.text.slice(0, 300)}`,
        );
      }
    },
  },
  {
    id: 'ERR-14',
    title:
      'a field that is too long for any test runner is a bad request that names it; a long one is kept as it is',
    async run(it) {
      const long = 'glibc/2.40-1 '.repeat(800);
      const id = await it.submitOne({ trigger: long });
      equal((await it.api(`/test/${id}`)).json<{ trigger: string }>().trigger, long, 'the trigger');
      const tooLong = 'x'.repeat(200_000);
      problem(await it.post([{ package: it.name(), trigger: tooLong }]), 400, 'trigger');
      const pins = [[`src:${tooLong}`, it.suite]];
      problem(await it.post([{ package: it.name(), 'pin-packages': pins }]), 400, 'pin-packages');
      const sources = Array.from({ length: 10_000 }, () => 'source');
      problem(
        await it.post([{ package: it.name(), 'extra-apt-sources': sources }]),
        400,
        'extra-apt-sources',
      );
    },
  },
];
