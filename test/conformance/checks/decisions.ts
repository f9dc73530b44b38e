import type { Check } from '../check';
import { json, urlencoded } from '../exchange';
import { becomes, equal, includes, matches, ok, pointsAt, problem, status, TIME } from '../expectations';
import { NotTried } from '../outcomes';
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

const queues = async (it: Instance): Promise<Queue[]> => status(await it.api('/queues'), 200).json();

/** Pauses, drains and the workers they are about. */
export const adminChecks: Check[] = [
  {
    id: 'ADM-01',
    title: 'pauses and drains are for administrators: 403 for every other key',
    needs: ['admin key'],
    async run(it) {
      const unread = { method: 'POST', headers: { 'Content-Type': 'x/y' }, body: 'no JSON' };
      for (const what of ['pause', 'resume', 'drain', 'undrain', 'trust']) {
        problem(await decide(it, what, { reason: 'x', worker: 'x' }, it.options.key), 403, 'administrator');
        problem(await it.api(`/admin/${what}`, unread), 403, 'administrator');
        problem(await it.api(`/admin/${what}`, { ...unread, key: null }), 403);
      }
      problem(await it.api('/admin/decisions'), 403, 'administrator');
      problem(await it.api('/admin/decisions', { key: null }), 403);
    },
  },
  {
    id: 'ADM-02',
    title: 'a pause shows in its queue who, why and since when, until it is resumed',
    needs: ['admin key', 'idle architecture'],
    async run(it) {
      const by = (await it.api('/auth', { key: it.adminKey })).header('auth-user')!;
      const [suite, arch] = [it.suite, it.quietArch];
      const scopes: [Record<string, string | null>, (queue: Queue) => boolean][] = [
        [{ suite, arch }, (queue) => queue.suite === suite && queue.arch === arch],
        [{ suite }, (queue) => queue.suite === suite],
        [{ arch }, (queue) => queue.arch === arch],
        [{ suite: null }, () => true],
      ];
      // Who has real runs waiting wants no other queue paused.
      if (!it.has('stub')) scopes.length = 1;
      if ((await decisions(it)).pauses.length > 0) throw new NotTried('an instance where nothing is paused');
      const isNow = async (paused: object[]) => {
        const { pauses } = await decisions(it);
        for (const pause of pauses) matches(pause.since, TIME, 'since');
        const untimed = pauses.map(({ since: _since, ...pause }) => pause);
        equal(untimed, paused, 'the pauses');
      };
      for (const [scope, isPaused] of scopes) {
        const pause = { suite: null, arch: null, ...scope, by, reason: 'conformance: <b>a pause' };
        const answer = await decide(it, 'pause', { ...scope, reason: pause.reason });
        equal(status(answer, 200).json(), pause, 'the answer');
        try {
          await isNow([pause]);
          for (const queue of await queues(it)) {
            const { by, reason } = queue.paused ?? {};
            const decision = isPaused(queue) ? [pause.by, pause.reason] : [undefined, undefined];
            equal([by, reason], decision, `paused of ${queue.suite}/${queue.arch}`);
          }
          ok((await it.fetch('/')).text.includes('conformance: &lt;b&gt;a pause'), 'it is on no page');
          const other = urlencoded({
            ...(scope.suite && { suite }),
            ...(scope.arch && { arch }),
            reason: 'two',
          });
          status(await it.api('/admin/pause', { ...other, key: it.adminKey }), 200);
          await isNow([{ ...pause, reason: 'two' }]);
          const narrower = scope.suite && scope.arch ? { suite } : { suite, arch };
          problem(await decide(it, 'resume', narrower), 404, suite);
        } finally {
          const { by: _by, reason: _reason, ...stored } = pause;
          equal(status(await decide(it, 'resume', scope), 200).json(), stored, 'the answer to its end');
        }
        await isNow([]);
        ok(
          (await queues(it)).every(({ paused }) => paused === null),
          'a queue is paused after the end',
        );
        problem(await decide(it, 'resume', scope), 404);
      }
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
        await becomes('the run says that it is paused', async () => {
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
      const by = (await it.api('/auth', { key: it.adminKey })).header('auth-user')!;
      const answer = status(await decide(it, 'drain', { worker, reason: 'new disks' }), 200);
      equal(answer.json(), { worker, reason: 'new disks', by }, 'the answer');
      const drain = await drained();
      includes(drain, { worker, reason: 'new disks', by }, 'the drain');
      matches(drain?.since, TIME, 'since');
      equal(status(await decide(it, 'undrain', { worker }), 200).json(), { worker }, 'the answer to its end');
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
      pointsAt(await decide(it, 'pause', { suite: 5, reason: 'x' }), '/suite');
      for (const reason of [null, '', ' \n', 'x'.repeat(501), 'x\0'])
        pointsAt(await decide(it, 'pause', { suite: it.suite, reason }), '/reason');
      problem(await decide(it, 'drain', { reason: 'x' }), 400, 'worker');
      pointsAt(await decide(it, 'drain', { worker: 'a.b', reason: 'x' }), '/worker');
      equal(await decisions(it), before, 'the decisions');
    },
  },
  {
    id: 'ADM-06',
    title: 'a worker that is not known cannot be trusted, nor one that is sound',
    needs: ['admin key', 'finishing runs'],
    async run(it) {
      const unknown = it.name('worker');
      problem(await decide(it, 'trust', { worker: unknown, reason: 'x' }), 404, unknown);
      pointsAt(await decide(it, 'trust', { worker: 'a.b' }), '/worker');
      pointsAt(await decide(it, 'trust', { worker: unknown, reason: ' ' }), '/reason');
      problem(await decide(it, 'trust', { reason: 'x' }), 400, 'worker');
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
