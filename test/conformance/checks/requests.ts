import type { Check } from '../check';
import { json, urlencoded } from '../exchange';
import { becomes, equal, includes, ok, pointsAt, problem, status } from '../expectations';
import { nowSeconds, onlyRun, type RunAnswer } from '../instance';

const BAD_PRIORITIES = ['0', '11', '-1', '5abc', '5.7', '5.0', '', ' ', 'high', '1e1', '0x5', '٥'];

export const requestChecks: Check[] = [
  {
    id: 'REQ-01',
    title: 'an accepted list is answered with 201: its runs in order, what was ignored, and warnings',
    async run(it) {
      const names = [it.name(), it.name()];
      const answer = status(await it.post(names.map((name) => ({ package: name }))), 201);
      equal(answer.type, 'application/json', `${answer.name}: content type`);
      const { runs, ignored, warnings } = answer.json<RunAnswer>();
      for (const [index, run] of runs.entries()) {
        includes(run, { package: names[index], suite: it.suite, arch: it.quietArch }, `run ${index}`);
        ok(Number.isInteger(run.run_id), `run_id ${run.run_id} is no integer`);
      }
      equal([runs.length, ignored, warnings], [2, [], []], 'runs, ignored and warnings');
    },
  },
  {
    id: 'REQ-02',
    title: 'an empty list is accepted and creates nothing',
    run: async (it) => equal((await it.submit([])).runs, [], 'the runs'),
  },
  {
    id: 'REQ-03',
    title: 'every item is a run of its own, also when two are equal',
    async run(it) {
      const before = nowSeconds() - 5;
      const name = it.name();
      const { runs } = await it.submit([{ package: name }, { package: name }]);
      ok(runs.length === 2 && runs[0]!.run_id !== runs[1]!.run_id, 'two runs were due');
      const { results } = await it.since(before);
      equal(results.filter((run) => run.package === name).length, 2, 'runs of the package');
    },
  },
  {
    id: 'REQ-04',
    title: 'items with an invalid name are ignored and listed, the others are accepted',
    async run(it) {
      const name = it.name();
      const invalid = [
        'a',
        'Upper',
        '-dash',
        'under_score',
        '',
        'sp ace',
        'new\nline',
        'hello\n',
        'ünï',
        `a${'b'.repeat(200)}`,
        '../x',
      ];
      const { runs, ignored } = await it.submit([
        ...invalid.map((bad) => ({ package: bad })),
        { package: name },
      ]);
      equal(
        runs.map((run) => run.package),
        [name],
        'the accepted',
      );
      equal(
        ignored.map(({ index, package: bad, reason }) => [index, bad, reason]),
        invalid.map((bad, index) => [index, bad, 'invalid-name']),
        'the ignored',
      );
    },
  },
  {
    id: 'REQ-05',
    title: "every name that Debian's policy allows is taken, up to 200 characters",
    async run(it) {
      const names = ['g++', '0ad', 'lib', 'a.b-c+d', 'x2', `a${'b'.repeat(199)}`];
      const { runs } = await it.submit(names.map((name) => ({ package: name })));
      equal(
        runs.map((run) => run.package),
        names,
        'the packages',
      );
    },
  },
  {
    id: 'REQ-06',
    title: 'an item that is no object, or without a package, is a bad request that names its index',
    async run(it) {
      for (const bad of [null, 5, 'hello', [], true])
        pointsAt(await it.post([{ package: it.name() }, bad]), '/1');
      problem(await it.post([{ package: it.name() }, { trigger: 'x' }]), 400, 'package');
      pointsAt(await it.post([{ package: it.name() }, { trigger: 'x' }]), '/1/package');
    },
  },
  ...(
    [
      ['package', [5, null, {}, ['hello'], true]],
      ['trigger', [5, {}, [], true]],
      ['pin-packages', ['src:x', 5, {}, [['src:x', 5]], ['src:x'], [null]]],
      ['is_private', ['true', 1, 0, [], 'false']],
      ['extra-apt-sources', ['x', 5, {}, [5], [['x']]]],
      ['backend', [5, {}, [], true]],
      ['autopkgtest', [5, {}, [], true]],
      ['priority', ['high', {}, [5], true, 5.5, 0, 11]],
    ] as [string, unknown[]][]
  ).map(([key, values], index): Check => ({
    id: `REQ-${String(7 + index).padStart(2, '0')}`,
    title: `a wrong type or value of an item's ${key} is a bad request`,
    async run(it) {
      for (const value of values) {
        const answer = await it.post([{ package: it.name() }, { package: it.name(), [key]: value }]);
        problem(answer, 400);
        ok(
          answer.text.includes(`/1/${key}`),
          `${answer.name}: no pointer to /1/${key}: ${answer.text.slice(0, 300)}`,
        );
      }
    },
  })),
  {
    id: 'REQ-15',
    title: 'unknown keys of an item are ignored and listed in warnings',
    async run(it) {
      const { runs, warnings } = await it.submit([{ package: it.name(), colour: 'red' }]);
      equal(runs.length, 1, 'runs');
      ok(
        JSON.stringify(warnings).includes('colour'),
        `the warnings do not have it: ${JSON.stringify(warnings)}`,
      );
    },
  },
  {
    id: 'REQ-16',
    title: "an item may have a priority of its own, which wins over the request's",
    async run(it) {
      const items = [{ package: it.name(), priority: 2 }, { package: it.name() }];
      const { runs } = await it.submit([], json({ tests: items, priority: 9 }));
      const priorities = await Promise.all(runs.map(async (run) => (await it.one(run.run_id)).priority));
      equal(priorities, [2, 9], 'the priorities');
    },
  },
  {
    id: 'REQ-17',
    title: 'the priority is 5 when none is given, and each of 1 to 10 is taken',
    async run(it) {
      equal((await it.one(await it.submitOne())).priority, 5, 'the default');
      for (let priority = 1; priority <= 10; priority += 1) {
        const runId = await it.submitOne({ priority });
        equal((await it.one(runId)).priority, priority, 'the priority');
      }
    },
  },
  {
    id: 'REQ-18',
    title: 'a priority that is not an integer from 1 to 10 is a bad request, in the query and in bodies',
    async run(it) {
      for (const bad of BAD_PRIORITIES) {
        const query = `?priority=${encodeURIComponent(bad)}`;
        problem(await it.api(`${it.listPath()}${query}`, json([{ package: it.name() }])), 400, 'priority');
        problem(await it.api(it.listPath(), urlencoded({ tests: '[]', priority: bad })), 400, 'priority');
        problem(await it.api(`${it.listPath()}/${it.name()}${query}`, { method: 'POST' }), 400, 'priority');
      }
    },
  },
  {
    id: 'REQ-19',
    title: 'of a priority in the body and one in the query, the body counts',
    async run(it) {
      const tests = JSON.stringify([{ package: it.name() }]);
      const answer = await it.api(`${it.listPath()}?priority=2`, urlencoded({ tests, priority: '8' }));
      equal((await it.one(onlyRun(status(answer, 201).json()))).priority, 8, 'the priority');
    },
  },
  {
    id: 'REQ-20',
    title: 'an unknown suite or architecture is a bad request',
    async run(it) {
      const wrong = [
        ['no-such-suite', it.arch],
        [it.suite, 'no-such-arch'],
        ['*', it.arch],
        ['__proto__', it.arch],
        ['a'.repeat(1000), it.arch],
      ];
      for (const [suite, arch] of wrong) {
        const unknown = suite === it.suite ? arch! : suite!;
        for (const answer of [
          await it.api(`/test/${suite}/${arch}`, json([{ package: it.name() }])),
          await it.api(`/test/${suite}/${arch}/${it.name()}`, { method: 'POST' }),
        ])
          problem(answer, 400, unknown.slice(0, 20));
      }
    },
  },
  {
    id: 'REQ-21',
    title: 'an unknown backend, variant or extra source is a bad request that names it',
    async run(it) {
      for (const item of [
        { backend: 'no-such' },
        { autopkgtest: 'no-such' },
        { 'extra-apt-sources': ['no-such'] },
      ]) {
        problem(await it.post([{ package: it.name(), ...item }]), 400, 'no-such');
      }
      problem(
        await it.post([{ package: it.name(), 'extra-apt-sources': ['deb http://example.org/ x main'] }]),
        400,
      );
    },
  },
  {
    id: 'REQ-22',
    title: 'an extra source that the user may not use is a bad request',
    needs: ['closed apt source'],
    async run(it) {
      problem(
        await it.post([{ package: it.name(), 'extra-apt-sources': [it.options.closedAptSource] }]),
        400,
      );
    },
  },
  {
    id: 'REQ-23',
    title: 'an extra source that the user may use is kept and shown',
    needs: ['apt source'],
    async run(it) {
      const runId = await it.submitOne({ 'extra-apt-sources': [it.aptSource] });
      equal((await it.one(runId)).extra_apt_sources, [it.aptSource], 'the sources');
    },
  },
  {
    id: 'REQ-24',
    title: 'the backend and the variant that a run gets are shown, and may be asked for by name',
    async run(it) {
      const defaults = await it.one(await it.submitOne());
      ok(
        typeof defaults.backend === 'string' && defaults.backend !== '',
        'the resolved backend is not shown',
      );
      ok(
        typeof defaults.autopkgtest === 'string' && defaults.autopkgtest !== '',
        'the resolved variant is not shown',
      );
      const runId = await it.submitOne({ backend: defaults.backend, autopkgtest: defaults.autopkgtest });
      includes(
        await it.one(runId),
        { backend: defaults.backend, autopkgtest: defaults.autopkgtest },
        'the run',
      );
    },
  },
  {
    id: 'REQ-28',
    title: 'a configured backend that no worker offers is accepted; its run waits, with a reason',
    needs: ['idle backend'],
    async run(it) {
      const answer = await it.api(
        it.listPath(it.arch),
        json([{ package: it.name(), backend: it.options.idleBackend }]),
      );
      const runId = onlyRun(status(answer, 201).json<RunAnswer>());
      const run = await becomes('the run shows why it waits', async () => {
        const waitingRun = await it.one(runId);
        return Array.isArray(waitingRun.reasons) && waitingRun.reasons.length > 0 && waitingRun;
      });
      includes(run, { status: null, state: 'queued', backend: it.options.idleBackend }, 'the run');
    },
  },
];
