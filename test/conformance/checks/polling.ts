import type { Check } from '../check';
import { equal, ok, problem, status } from '../expectations';
import { nowSeconds, type Instance, type Result } from '../instance';

const secondsOf = (time: string): number => Date.parse(time) / 1000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function listed(it: Instance, runId: number, since: number): Promise<Result | undefined> {
  return (await it.since(since)).results.find((run) => run.run_id === runId);
}

export const pollingChecks: Check[] = [
  {
    id: 'POL-01',
    title: 'since is needed, and is a number of seconds, whole or not, that is not negative',
    async run(it) {
      problem(await it.api('/test'), 400, 'since');
      for (const bad of [
        '',
        'abc',
        '-1',
        '2026-11-20',
        '1.2.3',
        '0x10',
        'NaN',
        'Infinity',
        '1e400',
        '%20',
        '1,5',
      ]) {
        problem(await it.api(`/test?since=${bad}`), 400, 'since');
      }
      for (const good of ['0', '1.5', String(nowSeconds()), '1795000000.123456']) {
        status(await it.api(`/test?since=${good}`), 200);
      }
    },
  },
  {
    id: 'POL-02',
    title: 'what was created at or after since is listed, what was before is not',
    async run(it) {
      const runId = await it.submitOne();
      const created = Math.floor(secondsOf((await it.one(runId)).created_at));
      ok(await listed(it, runId, created), 'a run of that second is not listed');
      const inMs = secondsOf((await it.one(runId)).updated_at);
      ok(await listed(it, runId, inMs), 'a run of that very millisecond is not listed');
      await it.cancelledRun();
      const later = Math.floor(secondsOf((await it.one(runId)).updated_at)) + 1;
      equal(await listed(it, runId, later), undefined, 'the run with a later since');
    },
  },
  {
    id: 'POL-03',
    title: 'a run is listed again once it has finished, with the same id and a later updated_at',
    async run(it) {
      const before = nowSeconds() - 5;
      const runId = await it.submitOne();
      const waiting = await listed(it, runId, before);
      await pause(20);
      status(await it.api(`/test/${runId}`, { method: 'DELETE' }), 200);
      const result = await listed(it, runId, before);
      equal(result?.status, 'tmpfail', 'the status');
      ok(result!.updated_at > waiting!.updated_at, 'updated_at did not move');
      ok(
        await listed(it, runId, secondsOf(result!.updated_at)),
        'the run is not listed with since at its end',
      );
    },
  },
  {
    id: 'POL-04',
    title: 'updated_at does not move while a run is leased and running',
    needs: ['stub'],
    async run(it) {
      const { runs } = (
        await it.api(it.listPath(it.arch), {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify([{ package: it.name(), trigger: 'sleep:2' }]),
        })
      ).json<{ runs: { run_id: number }[] }>();
      const runId = runs[0]!.run_id;
      const created = await it.one(runId);
      let run = created;
      while (run.status === null) {
        if (run.state !== 'finished')
          equal(run.updated_at, created.created_at, `updated_at while ${String(run.state)}`);
        await pause(100);
        run = await it.one(runId);
      }
      ok(run.updated_at > created.updated_at, 'updated_at did not move at the end');
    },
  },
  {
    id: 'POL-05',
    title: 'results come in order of updated_at, then of run_id',
    async run(it) {
      const before = nowSeconds() - 5;
      await it.submit(Array.from({ length: 30 }, () => ({ package: it.name() })));
      await it.cancelledRun();
      await it.submitOne();
      const { results } = await it.since(before);
      const sorted = [...results].sort((a, b) =>
        a.updated_at === b.updated_at ? a.run_id - b.run_id : a.updated_at < b.updated_at ? -1 : 1,
      );
      equal(
        results.map((run) => run.run_id),
        sorted.map((run) => run.run_id),
        'the order of the run ids',
      );
    },
  },
  {
    id: 'POL-06',
    title: 'until is never below the second of since, and is that second when there is nothing',
    async run(it) {
      const future = nowSeconds() + 100_000;
      for (const since of [future, future + 0.75])
        equal(await it.since(since), { until: future, results: [] }, `since ${since}`);
      await it.submitOne();
      for (const since of [0, nowSeconds() - 100, nowSeconds(), nowSeconds() + 0.5]) {
        const { until } = await it.since(since);
        ok(until >= Math.floor(since), `since ${since}: until is ${until}`);
      }
    },
  },
  {
    id: 'POL-07',
    title: 'until is never past what may still be written: it stays at or before the next second',
    async run(it) {
      await it.submitOne();
      const [before, { until }, after] = [
        nowSeconds() - 600,
        await it.since(nowSeconds() - 600),
        nowSeconds(),
      ];
      ok(until > before, `until is ${until}: nothing was gained`);
      const runId = await it.submitOne();
      ok(
        await listed(it, runId, until),
        `until ${until} at ${after}: the next run is not listed with it as since`,
      );
    },
  },
  {
    id: 'POL-08',
    title: 'who feeds until back as since sees every run in its last state while many are written',
    async run(it) {
      let since = nowSeconds() - 5;
      const statuses = new Map<number, string | null>();
      const poll = async (): Promise<void> => {
        const { until, results } = await it.since(since);
        for (const run of results) statuses.set(run.run_id, run.status);
        since = until;
      };
      const ids: number[] = [];
      let writing = true;
      const write = async (): Promise<void> => {
        for (let round = 0; round < 12; round += 1) {
          const { runs } = await it.submit(Array.from({ length: 3 }, () => ({ package: it.name() })));
          ids.push(...runs.map((run) => run.run_id));
          await it.api(`/test/${runs[0]!.run_id}`, { method: 'DELETE' });
        }
      };
      const writers = Promise.all([write(), write(), write()]).finally(() => (writing = false));
      while (writing) {
        await poll();
        await pause(30);
      }
      await writers;
      for (let quiet = 0; quiet < 4; quiet += 1) {
        await pause(500);
        await poll();
      }
      equal(
        ids.filter((id) => !statuses.has(id)),
        [],
        'runs that no poll returned',
      );
      for (const [index, id] of ids.entries()) {
        if (index % 3 === 0 && (await it.one(id)).status !== null)
          equal(statuses.get(id), 'tmpfail', `last seen status of run ${id}`);
      }
    },
  },
  {
    id: 'POL-09',
    title: 'an idle poll repeats nothing',
    needs: ['password'],
    async run(it) {
      const { key } = await it.newKey();
      await it.submitOne({}, { key });
      let since = nowSeconds() - 100;
      for (let poll = 0; poll < 6; poll += 1) {
        since = (await it.since(since, { key })).until;
        await pause(500);
      }
      equal((await it.since(since, { key })).results.length, 0, 'results of an idle poll');
    },
  },
  {
    id: 'POL-10',
    title: 'with wait, an empty answer is held until its time is over',
    needs: ['password'],
    async run(it) {
      const { key } = await it.newKey();
      const since = nowSeconds();
      const start = performance.now();
      const answer = await it.since(`${since}&wait=2`, { key });
      const ms = performance.now() - start;
      equal(answer, { until: since, results: [] }, 'the answer');
      ok(ms > 1_500 && ms < 25_000, `it was held for ${ms.toFixed(0)} ms`);
    },
  },
  {
    id: 'POL-11',
    title: 'with wait, the answer comes as soon as something is new',
    needs: ['password'],
    async run(it) {
      const { key } = await it.newKey();
      const start = performance.now();
      const longPoll = it.since(`${nowSeconds()}&wait=30`, { key });
      await pause(700);
      const runId = await it.submitOne({}, { key });
      const { results } = await longPoll;
      const ms = performance.now() - start;
      ok(
        results.some((run) => run.run_id === runId),
        'the run is not in the answer',
      );
      ok(ms < 25_000, `it was held for ${ms.toFixed(0)} ms`);
    },
  },
  {
    id: 'POL-12',
    title: 'with wait, what is already there is answered at once; a wait that is no number is a bad request',
    async run(it) {
      const before = nowSeconds() - 5;
      await it.submitOne();
      const start = performance.now();
      ok((await it.since(`${before}&wait=20`)).results.length > 0, 'the answer is empty');
      ok(performance.now() - start < 15_000, 'the answer was held');
      for (const bad of ['', 'abc', '-1', '1.5', '1e1', '999999', '1&wait=2'])
        problem(await it.api(`/test?since=0&wait=${bad}`), 400, 'wait');
    },
  },
];
