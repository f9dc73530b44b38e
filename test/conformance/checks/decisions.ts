import type { Check } from '../check';
import { json, urlencoded } from '../exchange';
import { becomes, equal, includes, matches, ok, pointsAt, problem, status } from '../expectations';
import { onlyRun, type Instance, type RunAnswer } from '../instance';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const SELECTORS = ['run_ids', 'package', 'trigger', 'suite', 'arch'];

async function cancelled(it: Instance, body: object, key?: string): Promise<number[]> {
  const answer = status(await it.api('/test/cancel', { ...json(body), key }), 200);
  return answer.json<{ cancelled: number[] }>().cancelled;
}

async function changed(it: Instance, body: object, key?: string): Promise<number[]> {
  const answer = status(await it.api('/test/priority', { ...json(body), key }), 200);
  return answer.json<{ changed: number[] }>().changed;
}

const decide = (it: Instance, what: string, body: object, key = it.adminKey) =>
  it.api(`/admin/${what}`, { ...json(body), key });

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
      const body = { package: name, trigger: 'one/1', reason: 'superseded' };
      equal(await cancelled(it, body), [one, two], 'the cancelled');
      for (const runId of [one, two]) {
        const message = `cancelled by ${user}: superseded`;
        includes(await it.one(runId), { status: 'tmpfail', message }, `run ${runId}`);
      }
      equal((await it.one(other)).status, null, 'the status of the run with another trigger');
      equal(await cancelled(it, body), [], 'cancelled by the same request again');
      equal(await cancelled(it, { run_ids: [one, other, 999999999] }), [other], 'cancelled by id');
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
        equal(await changed(it, { ...selection, priority: 1 }, it.otherKey), [], 'changed by another key');
      }
      const everyones = { package: name, everyone: true };
      problem(await it.api('/test/cancel', { ...json(everyones), key: it.otherKey }), 403, 'everyone');
      for (const runId of runs) includes(await it.one(runId), { status: null, priority: 5 }, `run ${runId}`);
      equal(await cancelled(it, everyones, it.adminKey), runs, 'cancelled by the administrator');
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
      equal(await changed(it, { package: name, priority: 9 }), [low], 'the changed');
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
        pointsAt(await ask({ package: 'No Name' }), '/package');
        pointsAt(await ask({ package: name, run_ids: ['x'] }), '/run_ids');
        pointsAt(await ask({ package: name, reason: '' }), '/reason');
      }
      problem(await it.api('/test/priority', json({ package: name })), 400, 'priority');
      pointsAt(await it.api('/test/priority', json({ package: name, priority: 11 })), '/priority');
      includes(await it.one(runId), { status: null, priority: 5 }, 'the run');
    },
  },
];

interface Decisions {
  pauses: { suite: string | null; arch: string | null; by: string; reason: string; since: string }[];
  drains: { worker: string; by: string; reason: string; since: string }[];
}

const decisions = async (it: Instance): Promise<Decisions> =>
  status(await it.api('/admin/decisions', { key: it.adminKey }), 200).json();

interface Queue {
  suite: string;
  arch: string;
  paused: { by: string; reason: string; since: string } | null;
}

async function queue(it: Instance, arch: string): Promise<Queue> {
  const rows = status(await it.api('/queues'), 200).json<Queue[]>();
  const row = rows.find((other) => other.suite === it.suite && other.arch === arch);
  ok(row, `the queue ${it.suite}/${arch} is not listed`);
  return row;
}

/** Pauses, drains and the workers they are about. */
export const adminChecks: Check[] = [
  {
    id: 'ADM-01',
    title: 'pauses and drains are for administrators: 403 for every other key',
    needs: ['admin key'],
    async run(it) {
      for (const what of ['pause', 'resume', 'drain', 'undrain']) {
        problem(await decide(it, what, { reason: 'x', worker: 'x' }, it.options.key), 403, 'administrator');
      }
      problem(await it.api('/admin/decisions'), 403, 'administrator');
    },
  },
  {
    id: 'ADM-02',
    title: 'a pause shows in its queue who, why and since when, until it is resumed',
    needs: ['admin key', 'idle architecture'],
    async run(it) {
      const [scope, reason] = [{ suite: it.suite, arch: it.quietArch }, 'conformance: a pause'];
      const by = (await it.api('/auth', { key: it.adminKey })).header('auth-user')!;
      status(await decide(it, 'pause', { ...scope, reason }), 200);
      try {
        const { paused } = await queue(it, it.quietArch);
        includes(paused, { by, reason }, 'paused');
        matches(paused?.since, TIME, 'since');
        ok(
          (await decisions(it)).pauses.some((pause) => pause.suite === it.suite && pause.reason === reason),
          'the pause is not among the decisions',
        );
      } finally {
        status(await decide(it, 'resume', scope), 200);
      }
      equal((await queue(it, it.quietArch)).paused, null, 'paused after the end');
      problem(await decide(it, 'resume', scope), 404, it.suite);
    },
  },
  {
    id: 'ADM-03',
    title: 'nothing of a paused queue is started, and its runs say why; resumed, it goes on',
    needs: ['admin key', 'stub'],
    async run(it) {
      const scope = { suite: it.suite, arch: it.arch };
      status(await decide(it, 'pause', { ...scope, reason: 'conformance: nothing starts' }), 200);
      let runId: number;
      try {
        const answer = await it.api(it.listPath(it.arch), json([{ package: it.name() }]));
        runId = onlyRun(status(answer, 201).json<RunAnswer>());
        await becomes('the run says that it is paused', 30_000, async () => {
          const run = await it.one(runId);
          equal(run.state, 'queued', 'the state');
          return (run.reasons as string[]).some((reason) => /paused.*nothing starts/.test(reason));
        });
      } finally {
        status(await decide(it, 'resume', scope), 200);
      }
      equal((await it.end(runId)).status, 'pass', 'the status in the end');
    },
  },
  {
    id: 'ADM-04',
    title: 'a drain is among the decisions until it is ended, whether the worker is there or not',
    needs: ['admin key'],
    async run(it) {
      const worker = it.name('worker');
      const drained = async () => (await decisions(it)).drains.find((drain) => drain.worker === worker);
      problem(await decide(it, 'undrain', { worker }), 404, worker);
      status(await decide(it, 'drain', { worker, reason: 'new disks' }), 200);
      const drain = await drained();
      includes(drain, { worker, reason: 'new disks' }, 'the drain');
      matches(drain?.since, TIME, 'since');
      status(await decide(it, 'undrain', { worker }), 200);
      equal(await drained(), undefined, 'the drain after its end');
    },
  },
  {
    id: 'ADM-05',
    title: 'a decision needs a reason, and names that there are',
    needs: ['admin key'],
    async run(it) {
      const before = await decisions(it);
      problem(await decide(it, 'pause', { suite: it.suite }), 400, 'reason');
      problem(await decide(it, 'drain', { worker: 'worker-1' }), 400, 'reason');
      for (const [key, body] of [
        ['suite', { suite: 'no-such-suite', reason: 'x' }],
        ['arch', { arch: 'no-such-arch', reason: 'x' }],
        ['suit', { suit: it.suite, reason: 'x' }],
      ] as const) {
        const answer = await decide(it, 'pause', body);
        problem(answer, 400, key);
        pointsAt(answer, `/${key}`);
      }
      pointsAt(await decide(it, 'drain', { worker: 'a.b', reason: 'x' }), '/worker');
      equal(await decisions(it), before, 'the decisions');
    },
  },
  {
    id: 'WRK-01',
    title: 'workers are listed with what they offer and how they stand, and architectures that do not answer',
    needs: ['finishing runs'],
    async run(it) {
      await it.finished({ package: it.name() });
      const answer = status(await it.api('/workers'), 200).json<{
        workers: Record<string, unknown>[];
        silent_architectures: string[];
      }>();
      ok(Array.isArray(answer.silent_architectures), 'silent_architectures is no array');
      const worker = answer.workers.find((each) => each.arch === it.arch);
      ok(worker, `no worker of ${it.arch} is listed`);
      const keys = [
        ...['name', 'arch', 'slots', 'busy', 'standing', 'reason', 'drained', 'problem'],
        ...['testbeds', 'variants', 'size_classes'],
      ];
      for (const key of keys) ok(key in worker, `the worker has no ${key}`);
      matches(worker.standing, /^(sound|slowed|quarantined)$/, 'standing');
    },
  },
];

/** What one run tells of itself. */
export const storyChecks: Check[] = [
  {
    id: 'STO-01',
    title: 'a run tells everything that happened to it, in order: what, who, why and when',
    needs: ['finishing runs'],
    async run(it) {
      const user = (await it.api('/auth')).header('auth-user')!;
      const run = await it.finished({ package: it.name() });
      const { facts } = (await it.one(run.run_id)) as unknown as { facts: Record<string, unknown>[] };
      ok(Array.isArray(facts), 'facts is no array');
      includes(facts[0], { kind: 'requested', state: 'queued', actor: `user ${user}` }, 'the first fact');
      includes(facts.at(-1), { kind: 'finished', state: 'finished' }, 'the last fact');
      const kinds = facts.map(({ kind }) => kind);
      for (const kind of ['granted', 'started']) ok(kinds.includes(kind), `it was never ${kind}`);
      const ids = facts.map(({ id }) => Number(id));
      equal(
        ids,
        [...ids].sort((a, b) => a - b),
        'the order of the ids',
      );
      for (const { attempt, reason, at } of facts) {
        ok(Number.isInteger(attempt), `attempt ${String(attempt)}`);
        ok(reason === null || typeof reason === 'string', `reason ${String(reason)}`);
        matches(at, TIME, 'at');
      }
    },
  },
  {
    id: 'STO-02',
    title: 'a waiting run tells its place, its expected start and its reasons, null where nobody can tell',
    needs: ['idle architecture'],
    async run(it) {
      const run = await it.one(await it.submitOne());
      for (const key of ['position', 'ahead', 'estimated_start', 'reasons'])
        ok(key in run, `the run has no ${key}`);
      ok(Array.isArray(run.reasons) && run.reasons.length > 0, 'there is no reason');
      for (const key of ['position', 'ahead'])
        ok(run[key] === null || Number.isInteger(run[key]), `${key} ${String(run[key])}`);
      if (run.estimated_start !== null) matches(run.estimated_start, TIME, 'estimated_start');
    },
  },
  {
    id: 'STO-03',
    title: "the story of somebody else's private run is told to nobody",
    needs: ['other key', 'idle architecture'],
    async run(it) {
      const runId = await it.submitOne({ is_private: true });
      const answer = await it.api(`/test/${runId}`, { key: it.otherKey });
      problem(answer, 404);
      ok(!answer.text.includes('facts'), 'the refusal tells facts');
    },
  },
];
