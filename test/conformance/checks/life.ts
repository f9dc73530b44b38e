import type { Check } from '../check';
import { json } from '../exchange';
import { becomes, equal, includes, matches, ok, problem, status } from '../expectations';
import { nowSeconds, type Instance } from '../instance';
import { statusPath } from './public-files';

async function retry(it: Instance, runId: number, key?: string): Promise<number> {
  const answer = status(await it.api(`/retry/${runId}`, { method: 'POST', key }), 201);
  return answer.json<{ run_id: number }>().run_id;
}

export const retryChecks: Check[] = [
  {
    id: 'RET-01',
    title: 'a retry is a new run of the same: trigger, pins, sources, privacy, backend, variant and priority',
    async run(it) {
      const item = {
        ...{ package: it.name(), trigger: 'some/1', is_private: true, priority: 8 },
        ...{ 'pin-packages': [['src:hello', it.suite]] },
        ...(it.options.aptSource && { 'extra-apt-sources': [it.aptSource] }),
      };
      const runId = await it.cancelledRun(item);
      const again = await retry(it, runId);
      ok(Number.isInteger(again) && again !== runId, `run_id ${again}`);
      const [old, fresh] = [await it.one(runId), await it.one(again)];
      for (const key of [
        ...[
          'package',
          'suite',
          'arch',
          'trigger',
          'is_private',
          'priority',
          'pin_packages',
          'extra_apt_sources',
        ],
        ...['backend', 'autopkgtest'],
      ]) {
        equal(fresh[key], old[key], key);
      }
      equal(old.status, 'tmpfail', 'the status of the original');
    },
  },
  {
    id: 'RET-02',
    title: 'a run that has not finished cannot be retried: 409 names it',
    needs: ['idle architecture'],
    async run(it) {
      const runId = await it.submitOne();
      problem(await it.api(`/retry/${runId}`, { method: 'POST' }), 409, String(runId));
    },
  },
  {
    id: 'RET-03',
    title: 'while a retry still waits there is no second one: 409 names the waiting run',
    needs: ['idle architecture'],
    async run(it) {
      const runId = await it.cancelledRun();
      const waiting = await retry(it, runId);
      problem(await it.api(`/retry/${runId}`, { method: 'POST' }), 409, String(waiting));
      status(await it.api(`/test/${waiting}`, { method: 'DELETE' }), 200);
      ok((await retry(it, runId)) !== waiting, 'the waiting run was given again');
    },
  },
  {
    id: 'RET-04',
    title: 'of retries at the same time one is accepted',
    needs: ['idle architecture'],
    async run(it) {
      const runId = await it.cancelledRun();
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => it.api(`/retry/${runId}`, { method: 'POST' })),
      );
      equal(answers.map((answer) => answer.status).sort(), [201, 409, 409, 409, 409, 409], 'the statuses');
    },
  },
  {
    id: 'RET-05',
    title: "any key may retry a public run, and the retry's results go to the original key",
    needs: ['other key'],
    async run(it) {
      const before = nowSeconds() - 5;
      const again = await retry(it, await it.cancelledRun(), it.otherKey);
      const listed = async (key?: string): Promise<boolean> =>
        (await it.since(before, { key })).results.some((run) => run.run_id === again);
      equal(
        [await listed(), await listed(it.otherKey)],
        [true, false],
        'listed for the original key, and for the other',
      );
    },
  },
  {
    id: 'RET-06',
    title: 'a private run is retried by its own key only',
    needs: ['other key'],
    async run(it) {
      const runId = await it.cancelledRun({ is_private: true });
      problem(await it.api(`/retry/${runId}`, { method: 'POST', key: it.otherKey }), 404);
      status(await it.api(`/retry/${runId}`, { key: it.otherKey }), 404);
      await retry(it, runId);
    },
  },
  {
    id: 'RET-07',
    title: 'what is rejected by now is not retried: 403',
    needs: ['changing the reject list'],
    async run(it) {
      const name = it.name();
      const runId = await it.cancelledRun({ package: name });
      await it.options.reject!(name);
      problem(await it.api(`/retry/${runId}`, { method: 'POST' }), 403, name);
    },
  },
  {
    id: 'RET-08',
    title: 'the retry page shows the run, how many equal ones wait, and a button',
    needs: ['idle architecture'],
    async run(it) {
      const name = it.name();
      const runId = await it.cancelledRun({ package: name });
      await it.submit([{ package: name }, { package: name }, { package: name }]);
      const answer = status(await it.api(`/retry/${runId}`, { headers: { Accept: 'text/html' } }), 200);
      equal(answer.type, 'text/html', `${answer.name}: content type`);
      const html = answer.text;
      for (const word of [name, String(runId), it.suite, it.quietArch])
        ok(html.includes(word), `the page does not show ${word}`);
      matches(html, /<form[^>]*method="?post/i, 'the form');
      matches(html, /<button|type="?submit/i, 'the button');
      matches(html.replace(/<[^>]*>/g, ' '), /\b(3|three)\b/, 'how many equal runs wait');
    },
  },
  {
    id: 'RET-09',
    title: 'the retry page needs a key',
    async run(it) {
      const runId = await it.cancelledRun();
      problem(await it.api(`/retry/${runId}`, { key: null }), 403);
      problem(await it.api(`/retry/${runId}`, { key: 'unknown' }), 403);
    },
  },
];

export const cancelChecks: Check[] = [
  {
    id: 'CAN-01',
    title: 'a waiting run of the own key is cancelled: tmpfail, and a message that names who did it',
    async run(it) {
      const user = (await it.api('/auth')).header('auth-user')!;
      const runId = await it.submitOne();
      const answer = status(await it.api(`/test/${runId}`, { method: 'DELETE' }), 200);
      const run = answer.json<Record<string, unknown>>();
      includes(
        run,
        { run_id: runId, status: 'tmpfail', state: 'finished', message: `cancelled by ${user}` },
        'the run',
      );
      ok(typeof run.date === 'string', 'there is no date');
      includes(await it.one(runId), { status: 'tmpfail' }, 'the run read again');
    },
  },
  {
    id: 'CAN-02',
    title: 'a finished run cannot be cancelled: 409',
    async run(it) {
      const runId = await it.cancelledRun();
      problem(await it.api(`/test/${runId}`, { method: 'DELETE' }), 409);
    },
  },
  {
    id: 'CAN-03',
    title: "another user's run cannot be cancelled: 403 when it is public, 404 when it is private",
    needs: ['other key', 'idle architecture'],
    async run(it) {
      const [open, hidden] = [await it.submitOne(), await it.submitOne({ is_private: true })];
      problem(await it.api(`/test/${open}`, { method: 'DELETE', key: it.otherKey }), 403);
      problem(await it.api(`/test/${hidden}`, { method: 'DELETE', key: it.otherKey }), 404);
      for (const runId of [open, hidden]) equal((await it.one(runId)).status, null, 'the status');
    },
  },
  {
    id: 'CAN-04',
    title: "an administrator may cancel everybody's runs",
    needs: ['admin key', 'idle architecture'],
    async run(it) {
      const runId = await it.submitOne();
      status(await it.api(`/test/${runId}`, { method: 'DELETE', key: it.adminKey }), 200);
      equal((await it.one(runId)).status, 'tmpfail', 'the status');
    },
  },
  {
    id: 'CAN-05',
    title: 'a running test is over in the books at once, and stays what it is then',
    needs: ['stub'],
    async run(it) {
      const answer = await it.api(it.listPath(it.arch), json([{ package: it.name(), trigger: 'sleep:5' }]));
      const { runs } = status(answer, 201).json<{ runs: { run_id: number }[] }>();
      const runId = runs[0]!.run_id;
      await becomes('the run is running', async () => (await it.one(runId)).state === 'running');
      status(await it.api(`/test/${runId}`, { method: 'DELETE' }), 200);
      const result = await it.one(runId);
      equal(result.status, 'tmpfail', 'the status');
      // The slot must come free, and whatever it reports of the cancelled run must change nothing.
      await it.finishedAll([1, 2, 3, 4].map(() => ({ package: it.name() })));
      equal(await it.one(runId), result, 'the cancelled run');
    },
  },
  {
    id: 'CAN-06',
    title: 'a cancelled run is listed as finished, and is not the latest of its package',
    needs: ['finishing runs'],
    async run(it) {
      const name = it.name();
      const newestRun = await it.finished({ package: name });
      const packages = async () => status(await it.fetch(statusPath(it, 'packages.json')), 200).text;
      const before = await packages();
      const answer = await it.api(it.listPath(it.arch), json([{ package: name, trigger: 'sleep:5' }]));
      const { runs } = status(answer, 201).json<{ runs: { run_id: number }[] }>();
      const runId = runs[0]!.run_id;
      const cancelled = await it.api(`/test/${runId}`, { method: 'DELETE' });
      status(cancelled, 200);
      const latest = status(await it.fetch(it.dataPath(name, 'latest.json')), 200);
      equal(latest.json<{ run_id: number }>().run_id, newestRun.run_id, 'the latest run');
      ok((await packages()) === before, 'packages.json has changed');
      const history = status(await it.fetch(it.dataPath(name, 'history.json')), 200).json<object[]>();
      includes(history.at(-1), { run_id: runId, status: 'tmpfail' }, 'the last row of the history');
    },
  },
];
