import type { Check } from '../check';
import { json, multipart, urlencoded } from '../exchange';
import { equal, ok, problem, status } from '../expectations';

export const publishChecks: Check[] = [
  {
    id: 'PUB-01',
    title: 'own private runs become public; the answer lists which did and which were ignored',
    async run(it) {
      const [one, two, open] = [
        await it.submitOne({ is_private: true }),
        await it.submitOne({ is_private: true }),
        await it.submitOne(),
      ];
      const answer = status(
        await it.api('/test/publish', urlencoded({ run_ids: `${one},${two},${open},999999999` })),
        200,
      );
      equal(answer.json(), { published: [one, two], ignored: [open, 999999999] }, 'the answer');
      for (const runId of [one, two, open])
        equal((await it.one(runId)).is_private, false, `is_private of run ${runId}`);
    },
  },
  {
    id: 'PUB-02',
    title: "another user's private run stays private",
    needs: ['other key'],
    async run(it) {
      const runId = await it.submitOne({ is_private: true });
      const form = urlencoded({ run_ids: String(runId) });
      const answer = status(await it.api('/test/publish', { ...form, key: it.otherKey }), 200);
      equal(answer.json(), { published: [], ignored: [runId] }, 'the answer');
      equal((await it.one(runId)).is_private, true, 'is_private');
    },
  },
  {
    id: 'PUB-03',
    title: 'no ids at all are fine, a missing list or something that is no id is a bad request',
    async run(it) {
      equal(
        status(await it.api('/test/publish', urlencoded({ run_ids: '' })), 200).json(),
        { published: [], ignored: [] },
        'the answer',
      );
      const runId = await it.submitOne({ is_private: true });
      problem(await it.api('/test/publish', { method: 'POST' }), 400, 'run_ids');
      for (const bad of ['x', '1.5', '1;2', `${runId},x`, `${runId},,1`, `${runId} 1`, '1e3', '0x1']) {
        problem(await it.api('/test/publish', urlencoded({ run_ids: bad })), 400);
      }
      equal((await it.one(runId)).is_private, true, 'is_private after refused requests');
    },
  },
  {
    id: 'PUB-04',
    title: 'the ids travel as a form, as multipart or as JSON',
    async run(it) {
      for (const send of [urlencoded, multipart, json] as ((fields: Record<string, string>) => object)[]) {
        const runId = await it.submitOne({ is_private: true });
        const answer = status(await it.api('/test/publish', send({ run_ids: `${runId}` })), 200);
        equal(answer.json<{ published: number[] }>().published, [runId], 'the published');
      }
    },
  },
  {
    id: 'PUB-05',
    title: 'publishing counts as an update of the run',
    async run(it) {
      const runId = await it.submitOne({ is_private: true });
      const before = await it.one(runId);
      await new Promise((resolve) => setTimeout(resolve, 20));
      status(await it.api('/test/publish', urlencoded({ run_ids: String(runId) })), 200);
      const { updated_at } = await it.one(runId);
      ok(updated_at > before.updated_at, `updated_at stayed at ${updated_at}`);
      const { results } = await it.since(Date.parse(updated_at) / 1000);
      ok(
        results.some((run) => run.run_id === runId),
        'the run is not listed again',
      );
    },
  },
  {
    id: 'PUB-06',
    title: 'with its publication the log, the artifacts, the latest status and the history follow at once',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      const run = await it.finished({ package: name, is_private: true });
      const log = it.dataPath(name, `latest-autopkgtest/log.gz`);
      equal((await it.fetch(it.dataPath(name, 'latest.json'))).text.trim(), 'null', 'latest.json before');
      status(await it.fetch(log), 404);
      status(await it.api('/test/publish', urlencoded({ run_ids: String(run.run_id) })), 200);
      const latest = status(await it.fetch(it.dataPath(name, 'latest.json')), 200).json<{ run_id: number }>();
      equal(latest?.run_id, run.run_id, 'latest.json');
      const history = status(await it.fetch(it.dataPath(name, 'history.json')), 200).json<
        { run_id: number }[]
      >();
      equal(
        history.map((row) => row.run_id),
        [run.run_id],
        'history.json',
      );
      status(await it.fetch(log), 200);
      const { log_url, artifacts_url } = await it.one(run.run_id);
      for (const url of [log_url, artifacts_url]) {
        ok(typeof url === 'string', 'the result names no file');
        status(await it.fetch(url), 200);
      }
    },
  },
];
