import type { Check } from '../check';
import { json, urlencoded } from '../exchange';
import { equal, includes, pointsAt, problem, status } from '../expectations';
import type { Instance } from '../instance';

const SELECTORS = ['run_ids', 'package', 'trigger', 'suite', 'arch'];

const BAD: [string, unknown[]][] = [
  ['package', ['No Name', 5, '']],
  ['trigger', ['a\0', 5]],
  ['suite', ['../x', 5]],
  ['arch', ['AMD']],
  ['run_ids', [['x'], [1, 1.5], [1, 2 ** 53], '9007199254740992', ['1'], 7, '1,x']],
  ['everyone', ['yes', 1]],
  ['reason', ['', ' ', 'x'.repeat(501), 5]],
];

async function cancelled(it: Instance, body: object, key?: string): Promise<number[]> {
  const answer = status(await it.api('/test/cancel', { ...json(body), key }), 200);
  return answer.json<{ cancelled: number[] }>().cancelled;
}

async function changedRuns(it: Instance, body: object, key?: string): Promise<number[]> {
  const answer = status(await it.api('/test/priority', { ...json(body), key }), 200);
  return answer.json<{ changed: number[] }>().changed;
}

/** What is done to all runs that match. */
export const manyRunsChecks: Check[] = [
  {
    id: 'MAN-01',
    title: 'all unfinished own runs that match everything said are cancelled, and no others',
    needs: ['idle architecture'],
    async run(it) {
      const [name, user] = [it.name(), (await it.api('/auth')).header('auth-user')!];
      const runs: number[] = [];
      for (const trigger of ['one/1', 'one/1', 'two/2'])
        runs.push(await it.submitOne({ package: name, trigger }));
      const [one, two, other] = runs as [number, number, number];
      const body = {
        package: name,
        trigger: 'one/1',
        suite: it.suite,
        arch: it.quietArch,
        reason: 'superseded',
      };
      equal(await cancelled(it, body), [one, two], 'the cancelled');
      for (const runId of [one, two]) {
        const run = await it.one(runId);
        includes(run, { status: 'tmpfail', message: `cancelled by ${user}: superseded` }, `run ${runId}`);
        const facts = run.facts as Record<string, unknown>[];
        const last = { kind: 'cancelled', actor: `user ${user}`, reason: 'superseded' };
        includes(facts.at(-1), last, `the last fact of run ${runId}`);
      }
      equal((await it.one(other)).status, null, 'the status of the run with another trigger');
      equal(await cancelled(it, body), [], 'cancelled by the same request again');
      const ids = [other, one, other, 999999999, 0, -1, 2 ** 53 - 1];
      equal(await cancelled(it, { run_ids: ids }), [other], 'cancelled by id');
      const none = await it.api('/test/cancel?run_ids=', { method: 'POST' });
      equal(status(none, 200).json(), { cancelled: [] }, 'cancelled by no id');
    },
  },
  {
    id: 'MAN-02',
    title: "runs of other keys are neither touched nor named; everyone's are for administrators",
    needs: ['other key', 'admin key', 'idle architecture'],
    async run(it) {
      const name = it.name();
      const runs = [
        await it.submitOne({ package: name }),
        await it.submitOne({ package: name, is_private: true }),
      ];
      for (const selection of [{ package: name }, { run_ids: runs }]) {
        equal(await cancelled(it, selection, it.otherKey), [], 'cancelled by another key');
        equal(
          await changedRuns(it, { ...selection, priority: 1 }, it.otherKey),
          [],
          'changed by another key',
        );
      }
      const everyones = { package: name, everyone: true };
      problem(await it.api('/test/cancel', { ...json(everyones), key: it.otherKey }), 403, 'everyone');
      for (const runId of runs) includes(await it.one(runId), { status: null, priority: 5 }, `run ${runId}`);
      equal(
        await cancelled(it, { ...everyones, everyone: false }, it.adminKey),
        [],
        'cancelled of their own',
      );
      const form = urlencoded({ package: name, everyone: 'true' });
      const answer = status(await it.api('/test/cancel', { ...form, key: it.adminKey }), 200);
      equal(answer.json(), { cancelled: runs }, 'cancelled by the administrator');
    },
  },
  {
    id: 'MAN-03',
    title: 'waiting own runs that match get another priority',
    needs: ['idle architecture'],
    async run(it) {
      const name = it.name();
      const [low, high] = [
        await it.submitOne({ package: name, priority: 2 }),
        await it.submitOne({ package: name, priority: 9 }),
      ];
      equal(await changedRuns(it, { package: name, priority: 9 }), [low], 'the changed');
      for (const runId of [low, high]) equal((await it.one(runId)).priority, 9, `priority of run ${runId}`);
      const form = urlencoded({ run_ids: `${low},${high}`, priority: '3' });
      equal(status(await it.api('/test/priority', form), 200).json(), { changed: [low, high] }, 'the answer');
    },
  },
  {
    id: 'MAN-04',
    title: 'a request about many runs needs a selector, and a misspelt one changes nothing',
    needs: ['idle architecture'],
    async run(it) {
      const name = it.name();
      const runId = await it.submitOne({ package: name });
      for (const path of ['/test/cancel', '/test/priority']) {
        const ask = (body: object) =>
          it.api(path, json(path === '/test/priority' ? { priority: 1, ...body } : body));
        problem(await ask({}), 400, ...SELECTORS);
        const misspelt = await ask({ package: name, triger: 'one/1' });
        problem(misspelt, 400, 'triger');
        pointsAt(misspelt, '/triger');
        for (const selectsNothing of [{ everyone: false }, { package: null, suite: null }])
          problem(await ask(selectsNothing), 400, ...SELECTORS);
        for (const [key, values] of BAD)
          for (const value of values) pointsAt(await ask({ package: name, [key]: value }), `/${key}`);
        const ids = Array.from({ length: (it.options.itemsMax ?? 20_000) + 1 }, (_, index) => index + 1);
        for (const run_ids of [ids, ids.join()]) problem(await ask({ run_ids }), 413);
        problem(await it.api(path, { method: 'POST', key: null }), 403);
      }
      problem(await it.api('/test/priority', json({ package: name })), 400, 'priority');
      for (const priority of [0, 11, '9', 5.5])
        pointsAt(await it.api('/test/priority', json({ package: name, priority })), '/priority');
      includes(await it.one(runId), { status: null, priority: 5 }, 'the run');
    },
  },
];
