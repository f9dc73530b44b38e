import type { Check } from '../check';
import { json, multipart, urlencoded } from '../exchange';
import { equal, includes, ok, problem, status } from '../expectations';
import { nowSeconds, onlyRun, type Instance, type Result, type RunAnswer } from '../instance';

async function single(it: Instance, query: string, request: object = { method: 'POST' }): Promise<Result> {
  const answer = await it.api(`${it.listPath()}/${it.name()}${query}`, request);
  return it.one(onlyRun(status(answer, 201).json<RunAnswer>()));
}

export const singleChecks: Check[] = [
  {
    id: 'SIN-01',
    title: 'one package is requested with an empty body, and is public',
    async run(it) {
      const name = it.name();
      const answer = status(await it.api(`${it.listPath()}/${name}`, { method: 'POST' }), 201);
      const { runs } = answer.json<RunAnswer>();
      includes(runs[0], { package: name, suite: it.suite, arch: it.quietArch }, 'the run');
      includes(await it.one(runs[0]!.run_id), { is_private: false, priority: 5, trigger: null }, 'the run');
    },
  },
  {
    id: 'SIN-02',
    title: 'its parameters may travel in the query',
    async run(it) {
      const run = await single(it, '?priority=8&is_private=true&trigger=a%2F1');
      includes(run, { priority: 8, is_private: true, trigger: 'a/1' }, 'the run');
    },
  },
  {
    id: 'SIN-03',
    title: 'its parameters may travel in the body, as a form, as multipart or as JSON',
    async run(it) {
      const fields = { priority: '8', is_private: 'true', trigger: 'a/1' };
      for (const request of [
        urlencoded(fields),
        multipart(fields),
        json({ ...fields, priority: 8, is_private: true }),
      ]) {
        includes(
          await single(it, '', request),
          { priority: 8, is_private: true, trigger: 'a/1' },
          request.headers!['Content-Type']!,
        );
      }
    },
  },
  {
    id: 'SIN-04',
    title: 'where query and body disagree the body counts',
    async run(it) {
      const run = await single(
        it,
        '?priority=2&trigger=query',
        urlencoded({ priority: '9', trigger: 'body' }),
      );
      includes(run, { priority: 9, trigger: 'body' }, 'the run');
    },
  },
  {
    id: 'SIN-05',
    title: 'pins, backend and variant may be given as well',
    async run(it) {
      const { backend, autopkgtest } = await single(it, '');
      const pins = [['src:hello', it.suite]];
      const fields = {
        'pin-packages': JSON.stringify(pins),
        backend: String(backend),
        autopkgtest: String(autopkgtest),
      };
      includes(
        await single(it, '', urlencoded(fields)),
        { pin_packages: pins, backend, autopkgtest },
        'the run',
      );
      for (const bad of ['backend', 'autopkgtest']) {
        problem(
          await it.api(`${it.listPath()}/${it.name()}?${bad}=no-such`, { method: 'POST' }),
          400,
          'no-such',
        );
      }
    },
  },
  {
    id: 'SIN-06',
    title: 'extra sources travel as a JSON array; anything else is a bad request',
    async run(it) {
      const path = `${it.listPath()}/${it.name()}`;
      for (const text of ['', 'name', '[', '"name"', '5', '[5]', '["no-such"]', '{}']) {
        problem(
          await it.api(`${path}?extra_apt_sources=${encodeURIComponent(text)}`, { method: 'POST' }),
          400,
        );
      }
      equal((await single(it, '?extra_apt_sources=%5B%5D')).extra_apt_sources, [], 'no sources');
      if (!it.options.aptSource) return;
      const sources = JSON.stringify([it.aptSource]);
      const run = await single(it, '', urlencoded({ extra_apt_sources: sources }));
      equal(run.extra_apt_sources, [it.aptSource], 'the sources');
    },
  },
  {
    id: 'SIN-07',
    title: 'an invalid name is accepted, creates nothing and is listed as ignored',
    async run(it) {
      for (const name of ['Bad_Name', 'a', '%00', 'a'.repeat(201)]) {
        const answer = status(await it.api(`${it.listPath()}/${name}`, { method: 'POST' }), 201);
        const { runs, ignored } = answer.json<RunAnswer>();
        equal(
          [runs, ignored.map(({ reason }) => reason)],
          [[], ['invalid-name']],
          `${answer.name}: runs and ignored`,
        );
      }
    },
  },
  {
    id: 'SIN-08',
    title: 'a boolean in a form is true or false and nothing else',
    async run(it) {
      for (const bad of ['1', '0', 'yes', 'True', '', 'null']) {
        problem(
          await it.api(`${it.listPath()}/${it.name()}?is_private=${bad}`, { method: 'POST' }),
          400,
          'is_private',
        );
      }
      equal((await single(it, '?is_private=false')).is_private, false, 'is_private');
    },
  },
];

async function batch(it: Instance, parts: unknown, more: object = {}): Promise<RunAnswer> {
  return status(await it.api('/test/batch', json({ tests: parts, ...more })), 201).json<RunAnswer>();
}

export const batchChecks: Check[] = [
  {
    id: 'BAT-01',
    title: 'a batch requests tests of several suites and architectures at once, in order',
    async run(it) {
      const [one, two] = [it.name(), it.name()];
      const archs = it.options.idleArch ? [it.options.idleArch] : [it.arch];
      const parts = [
        { suite: it.suite, arch: archs, tests: [{ package: one }, { package: two }] },
        { suite: it.options.otherSuite ?? it.suite, arch: it.quietArch, tests: [{ package: two }] },
      ];
      const { runs } = await batch(it, parts);
      equal(
        runs.map((run) => [run.package, run.suite, run.arch]),
        [
          [one, it.suite, archs[0]],
          [two, it.suite, archs[0]],
          [two, it.options.otherSuite ?? it.suite, it.quietArch],
        ],
        'the runs',
      );
    },
  },
  {
    id: 'BAT-02',
    title: 'a batch with several architectures creates a run on each of them',
    needs: ['idle architecture'],
    async run(it) {
      const parts = [{ suite: it.suite, arch: [it.quietArch, it.arch], tests: [{ package: it.name() }] }];
      const { runs } = await batch(it, parts);
      equal(new Set(runs.map((run) => run.arch)), new Set([it.quietArch, it.arch]), 'the architectures');
    },
  },
  {
    id: 'BAT-03',
    title: 'what a batch ignores is listed with the index of its part',
    async run(it) {
      const part = (tests: object[]) => ({ suite: it.suite, arch: it.quietArch, tests });
      const { runs, ignored } = await batch(it, [
        part([{ package: it.name() }]),
        part([{ package: it.name() }, { package: 'B' }]),
      ]);
      equal(runs.length, 2, 'runs');
      includes(ignored[0], { request: 1, index: 1, package: 'B', reason: 'invalid-name' }, 'the ignored');
    },
  },
  {
    id: 'BAT-04',
    title: 'a batch takes a priority, a form field and a file too',
    async run(it) {
      const tests = () => [{ suite: it.suite, arch: it.quietArch, tests: [{ package: it.name() }] }];
      equal((await it.one(onlyRun(await batch(it, tests(), { priority: 9 })))).priority, 9, 'the priority');
      for (const request of [
        urlencoded({ tests: JSON.stringify(tests()), priority: '9' }),
        multipart({ tests: { file: JSON.stringify(tests()) }, priority: '9' }),
        json(tests()),
      ]) {
        status(await it.api('/test/batch', request), 201);
      }
    },
  },
  {
    id: 'BAT-05',
    title: 'a bad part of a batch is a bad request with a pointer, and nothing is created',
    async run(it) {
      const before = nowSeconds() - 5;
      const name = it.name();
      const good = { suite: it.suite, arch: it.quietArch, tests: [{ package: name }] };
      const bad: unknown[] = [
        null,
        5,
        {},
        { ...good, suite: 'no-such' },
        { ...good, suite: 5 },
        { ...good, arch: [] },
        { ...good, arch: ['no-such'] },
        { ...good, arch: [5] },
        { ...good, tests: {} },
        { ...good, tests: [{ package: 5 }] },
        { suite: it.suite, arch: it.quietArch },
      ];
      for (const part of bad) {
        const answer = await it.api('/test/batch', json({ tests: [good, part] }));
        problem(answer, 400);
        ok(
          /"pointer":"[^"]*\/1/.test(answer.text),
          `${answer.name}: no pointer to the part: ${answer.text.slice(0, 300)}`,
        );
      }
      const { results } = await it.since(before);
      equal(results.filter((run) => run.package === name).length, 0, 'runs of refused batches');
    },
  },
];
