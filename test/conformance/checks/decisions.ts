import type { Check } from '../check';
import { json } from '../exchange';
import { becomes, equal, includes, matches, ok, pointsAt, problem, status, TIME } from '../expectations';
import { onlyRun, type Instance, type RunAnswer } from '../instance';

const decide = (it: Instance, what: string, body: object, key = it.adminKey) =>
  it.api(`/admin/${what}`, { ...json(body), key });

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
      for (const what of ['pause', 'resume', 'drain', 'undrain', 'trust']) {
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
    id: 'ADM-06',
    title: 'nobody can trust a worker that is not known, nor one that is sound',
    needs: ['admin key', 'finishing runs'],
    async run(it) {
      const unknown = it.name('worker');
      problem(await decide(it, 'trust', { worker: unknown, reason: 'x' }), 404, unknown);
      pointsAt(await decide(it, 'trust', { worker: 'a.b' }), '/worker');
      await it.finished({ package: it.name() });
      const { workers } = status(await it.api('/workers'), 200).json<{
        workers: { name: string; arch: string; standing: string; busy: number }[];
      }>();
      const standings = (name: string) => workers.filter((each) => each.name === name);
      const sound = workers.find(
        ({ name, arch }) => arch === it.arch && standings(name).every(({ standing }) => standing === 'sound'),
      );
      ok(sound, `no worker of ${it.arch} is sound`);
      const answer = await decide(it, 'trust', { worker: sound.name });
      ok(
        [404, 409].includes(answer.status),
        `trusting ${sound.name}, which is sound, was answered ${answer.status}`,
      );
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
        ...['name', 'arch', 'slots', 'busy', 'standing', 'reason', 'until', 'drained', 'problem'],
        ...['testbeds', 'variants', 'size_classes'],
      ];
      for (const key of keys) ok(key in worker, `the worker has no ${key}`);
      matches(worker.standing, /^(sound|slowed|quarantined)$/, 'standing');
      equal(worker.until === null, worker.standing === 'sound', 'whether until is null');
    },
  },
];
