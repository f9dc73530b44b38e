import type { Check } from '../check';
import { json, multipart, urlencoded, type Sent } from '../exchange';
import { becomes, equal, ok, problem, status } from '../expectations';
import { nowSeconds, onlyRun, type RunAnswer } from '../instance';

export const transportChecks: Check[] = [
  ...(
    [
      ['TRA-01', 'a urlencoded form field', (tests) => urlencoded({ tests })],
      ['TRA-02', 'a multipart text field', (tests) => multipart({ tests })],
      ['TRA-03', 'an uploaded file', (tests) => multipart({ tests: { file: tests } })],
      ['TRA-04', 'a JSON array as the body', (tests) => json(JSON.parse(tests))],
      ['TRA-05', 'a JSON object as the body', (tests) => json({ tests: JSON.parse(tests) as unknown })],
    ] as [string, string, (tests: string) => Sent][]
  ).map(([id, form, send]): Check => ({
    id,
    title: `a list of tests travels as ${form}`,
    async run(it) {
      const names = [it.name(), it.name(), it.name()];
      const items = names.map((name) => ({ package: name, trigger: 'ünïcode/1 & = +' }));
      const answer = status(await it.api(it.listPath(), send(JSON.stringify(items))), 201);
      const { runs } = answer.json<RunAnswer>();
      equal(
        runs.map((run) => run.package),
        names,
        'the packages of the runs',
      );
      for (const { run_id } of runs) equal((await it.one(run_id)).trigger, 'ünïcode/1 & = +', 'the trigger');
    },
  })),
  {
    id: 'TRA-06',
    title: 'the priority of a list travels beside it, in form, file upload, JSON and query',
    async run(it) {
      const tests = (): string => JSON.stringify([{ package: it.name() }]);
      const ways: [string, Sent][] = [
        ['', urlencoded({ tests: tests(), priority: '7' })],
        ['', multipart({ tests: { file: tests() }, priority: '7' })],
        ['', json({ tests: JSON.parse(tests()) as unknown, priority: 7 })],
        ['?priority=7', urlencoded({ tests: tests() })],
      ];
      for (const [query, request] of ways) {
        const answer = status(await it.api(it.listPath() + query, request), 201);
        const run = await it.one(onlyRun(answer.json()));
        equal(run.priority, 7, `${answer.name}: the priority`);
      }
    },
  },
  {
    id: 'TRA-07',
    title: 'a list that is missing, no JSON, or no array is a bad request that names it',
    async run(it) {
      problem(await it.api(it.listPath(), { method: 'POST' }), 400, 'tests');
      problem(await it.api(it.listPath(), urlencoded({ priority: '5' })), 400, 'tests');
      for (const tests of ['', '[', 'hello', '{"package":"hello"}', '"hello"', 'null', '5']) {
        problem(await it.api(it.listPath(), urlencoded({ tests })), 400);
        problem(await it.api(it.listPath(), multipart({ tests: { file: tests } })), 400);
      }
      problem(await it.post(undefined, { body: '[{]' }), 400);
      problem(await it.post('hello'), 400);
      problem(
        await it.api(it.listPath(), { ...urlencoded({}), body: '[{"package":"hello"}]' }),
        400,
        'tests',
      );
    },
  },
  {
    id: 'TRA-10',
    title:
      'a multipart body that cannot be read is a bad request, and a body of another type is refused with 415',
    async run(it) {
      const good = multipart({ tests: '[]' }, 'x');
      const withType = (type: string, body = good.body): Sent => ({
        ...good,
        headers: { 'Content-Type': type },
        body,
      });
      problem(
        await it.api(it.listPath(), withType('multipart/form-data; boundary=x', '--x\r\nContent-Disp')),
        400,
      );
      problem(await it.api(it.listPath(), withType('multipart/form-data')), 400);
      problem(await it.api(it.listPath(), multipart({ 'tests[]': '[]' })), 400);
      for (const type of ['text/plain', 'application/xml', ''])
        problem(await it.api(it.listPath(), withType(type, '[]')), 415);
    },
  },
  {
    id: 'TRA-08',
    title: '20,000 items in one request are taken',
    needs: ['idle architecture'],
    async run(it) {
      const items = Array.from({ length: 20_000 }, (_, index) => ({
        package: `many${index}`,
        trigger: `many/${index}`,
      }));
      // A busy instance may have no time for so many, and says that nothing was changed.
      const answer = await becomes('the list gets another answer than 503', async () => {
        const each = await it.post(items);
        return each.status !== 503 && each;
      });
      const { runs, ignored } = status(answer, 201).json<RunAnswer>();
      equal([runs.length, ignored.length], [20_000, 0], 'runs and ignored items');
      ok(
        runs.every((run, index) => run.package === `many${index}`),
        'the runs are not in the order of the items',
      );
      const ids = new Set(runs.map((run) => run.run_id));
      equal(ids.size, 20_000, 'different run ids');
    },
  },
  {
    id: 'TRA-09',
    title: 'more items than the limit are refused with 413 and nothing is created',
    needs: ['items limit'],
    async run(it) {
      const before = nowSeconds() - 5;
      const name = it.name();
      const items = Array.from({ length: it.options.itemsMax! + 1 }, () => ({ package: name }));
      problem(await it.post(items), 413);
      const { results } = await it.since(before);
      equal(
        results.some((run) => run.package === name),
        false,
        'runs of the refused list',
      );
    },
  },
];
