import type { Check } from '../check';
import { json, multipart, urlencoded, type Sent } from '../exchange';
import { equal, ok, problem, status } from '../expectations';
import { nowSeconds, type Instance } from '../instance';

const once = (key: string, request: Sent): Sent => ({
  ...request,
  headers: { ...request.headers, 'Idempotency-Key': key },
});

async function runsOf(it: Instance, name: string, before: number): Promise<number[]> {
  const { results } = await it.since(before);
  return results.filter((run) => run.package === name).map((run) => run.run_id);
}

export const idempotencyChecks: Check[] = [
  {
    id: 'IDE-01',
    title: 'the same request with the same Idempotency-Key gives the same answer and creates nothing more',
    async run(it) {
      const [before, name, key] = [nowSeconds() - 5, it.name(), it.name('key')];
      const message = once(key, json([{ package: name }]));
      const [first, second] = [await it.api(it.listPath(), message), await it.api(it.listPath(), message)];
      equal(status(second, 201).text, status(first, 201).text, 'the second answer');
      equal((await runsOf(it, name, before)).length, 1, 'runs');
    },
  },
  {
    id: 'IDE-02',
    title: 'it is the parameters that are compared, not the bytes',
    async run(it) {
      const [before, name, key] = [nowSeconds() - 5, it.name(), it.name('key')];
      const tests = JSON.stringify([{ package: name }]);
      const first = await it.api(it.listPath(), once(key, multipart({ tests: { file: tests } }, 'one')));
      const second = await it.api(it.listPath(), once(key, multipart({ tests: { file: tests } }, 'another')));
      equal(status(second, 201).text, status(first, 201).text, 'the second answer');
      equal((await runsOf(it, name, before)).length, 1, 'runs');
    },
  },
  {
    id: 'IDE-03',
    title: 'the same key with other parameters, or at another path, is a conflict',
    async run(it) {
      const [before, name, key] = [nowSeconds() - 5, it.name(), it.name('key')];
      status(await it.api(it.listPath(), once(key, json([{ package: name }]))), 201);
      problem(await it.api(it.listPath(), once(key, json([{ package: name, trigger: 'other' }]))), 409);
      problem(await it.api(`${it.listPath()}?priority=7`, once(key, json([{ package: name }]))), 409);
      problem(await it.api(`${it.listPath()}/${name}`, once(key, { method: 'POST' })), 409);
      equal((await runsOf(it, name, before)).length, 1, 'runs');
    },
  },
  {
    id: 'IDE-04',
    title: 'a refused request does not use up its key',
    async run(it) {
      const key = it.name('key');
      problem(await it.api(it.listPath(), once(key, json([{ package: 5 }]))), 400);
      status(await it.api(it.listPath(), once(key, json([{ package: it.name() }]))), 201);
    },
  },
  {
    id: 'IDE-05',
    title: 'duplicates in flight wait for the first and get its answer',
    async run(it) {
      const [before, name, key] = [nowSeconds() - 5, it.name(), it.name('key')];
      const message = once(key, json(Array.from({ length: 50 }, () => ({ package: name }))));
      const answers = await Promise.all(Array.from({ length: 8 }, () => it.api(it.listPath(), message)));
      for (const answer of answers)
        equal(status(answer, 201).text, answers[0]!.text, `${answer.name}: the document`);
      equal((await runsOf(it, name, before)).length, 50, 'runs');
    },
  },
  {
    id: 'IDE-06',
    title: 'keys of different requestors are different keys',
    needs: ['other key'],
    async run(it) {
      const [key, name] = [it.name('key'), it.name()];
      const message = once(key, json([{ package: name }]));
      const [own, other] = [
        await it.api(it.listPath(), message),
        await it.api(it.listPath(), { ...message, key: it.otherKey }),
      ];
      ok(status(own, 201).text !== status(other, 201).text, 'both got the same runs');
    },
  },
  {
    id: 'IDE-07',
    title: 'every request that creates takes the key: single package, batch and retry too',
    async run(it) {
      const [before, name, again] = [nowSeconds() - 5, it.name(), await it.cancelledRun()];
      const parts = [{ suite: it.suite, arch: it.quietArch, tests: [{ package: name }] }];
      const requests: [string, Sent][] = [
        [`${it.listPath()}/${name}`, urlencoded({ priority: '6' })],
        ['/test/batch', json({ tests: parts })],
        [`/retry/${again}`, { method: 'POST' }],
      ];
      for (const [path, request] of requests) {
        const message = once(it.name('key'), request);
        const [first, second] = [await it.api(path, message), await it.api(path, message)];
        equal(status(second, 201).text, status(first, 201).text, `${path}: the second answer`);
      }
      equal((await runsOf(it, name, before)).length, 2, 'runs of the package');
    },
  },
];
