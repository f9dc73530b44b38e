import type { Check } from '../check';
import { equal, includes, matches, ok, problem, status, TIME } from '../expectations';
import { asListed, nowSeconds, type Instance, type Result } from '../instance';

const KEYS = [
  ...[
    'trigger',
    'package',
    'arch',
    'suite',
    'version',
    'status',
    'run_id',
    'is_private',
    'extra_apt_sources',
  ],
  ...[
    'updated_at',
    'date',
    'duration_seconds',
    'created_at',
    'backend',
    'autopkgtest',
    'pin_packages',
    'priority',
  ],
  ...['message', 'exit_code', 'worker', 'attempt', 'state', 'log_url', 'artifacts_url'],
];

const secondsOf = (time: string): number => Date.parse(time) / 1000;

async function listed(it: Instance, runId: number, since: number): Promise<Result | undefined> {
  return (await it.since(since)).results.find((run) => run.run_id === runId);
}

export const resultChecks: Check[] = [
  {
    id: 'RES-01',
    title: 'results are an object with until, an integer, and results, an array',
    async run(it) {
      const answer = status(await it.api('/test?since=0'), 200);
      equal(answer.type, 'application/json', `${answer.name}: content type`);
      const { until, results } = answer.json<{ until: number; results: unknown }>();
      ok(Number.isInteger(until), `until is ${until}`);
      ok(Array.isArray(results), 'results is no array');
    },
  },
  {
    id: 'RES-02',
    title: 'a result has all keys from the beginning',
    async run(it) {
      const before = nowSeconds() - 5;
      const runId = await it.submitOne();
      const run = await listed(it, runId, before);
      ok(run, 'the run is not listed');
      equal(
        KEYS.filter((key) => !(key in run)),
        [],
        'missing keys',
      );
      includes(
        run,
        { suite: it.suite, arch: it.quietArch, is_private: false, extra_apt_sources: [], pin_packages: [] },
        'the run',
      );
    },
  },
  {
    id: 'RES-03',
    title: 'timestamps are UTC with three digits and Z',
    async run(it) {
      const before = nowSeconds() - 5;
      const cancelled = await it.cancelledRun();
      const waiting = await it.submitOne();
      for (const run of (await it.since(before)).results) {
        matches(run.created_at, TIME, 'created_at');
        matches(run.updated_at, TIME, 'updated_at');
        if (run.run_id === cancelled) matches(run.date, TIME, 'date');
      }
      matches((await it.one(waiting)).updated_at, TIME, 'updated_at of one run');
      ok(
        Math.abs(secondsOf((await it.one(waiting)).created_at) - Date.now() / 1000) < 120,
        'created_at is not now',
      );
    },
  },
  {
    id: 'RES-04',
    title: 'a run that has not finished has null as status, date and version',
    needs: ['idle architecture'],
    async run(it) {
      const before = nowSeconds() - 5;
      const run = await listed(it, await it.submitOne(), before);
      includes(
        run,
        { status: null, date: null, version: null, duration_seconds: null, message: null },
        'the run',
      );
    },
  },
  {
    id: 'RES-05',
    title: 'a finished run has status, version, end, whole seconds and worker',
    needs: ['finishing runs'],
    async run(it) {
      const run = await it.finished({ package: it.name() });
      ok(['pass', 'fail', 'tmpfail'].includes(run.status!), `the status is ${run.status}`);
      ok(typeof run.version === 'string' && run.version !== '', 'there is no version');
      matches(run.date, TIME, 'date');
      ok(Number.isInteger(run.duration_seconds), `duration_seconds is ${String(run.duration_seconds)}`);
      includes(run, { state: 'finished', arch: it.arch, attempt: 1 }, 'the run');
      ok(
        typeof run.worker === 'string' && typeof run.message === 'string',
        'there is no worker or no message',
      );
    },
  },
  {
    id: 'RES-06',
    title: 'each way that a test can end is pass, fail or tmpfail; an unknown version is n/a',
    needs: ['stub'],
    async run(it) {
      const [passed, failedRun, skipped, missing, broken] = await it.finishedAll(
        ['good', 'fail-', 'skip-', 'missing-', 'broken-'].map((beginning) => ({
          package: it.name(beginning),
        })),
      );
      includes(passed, { status: 'pass', version: '1.0-1', exit_code: 0 }, 'a passed run');
      includes(failedRun, { status: 'fail', version: '1.0-1', exit_code: 4 }, 'a failed run');
      includes(skipped, { status: 'pass', version: '1.0-1', exit_code: 8 }, 'a run without tests');
      ok(skipped!.message, 'a run without tests has no message');
      includes(missing, { status: 'fail', version: 'n/a', exit_code: 12 }, 'a run of a missing package');
      includes(broken, { status: 'tmpfail', version: '1.0-1', exit_code: 16 }, 'a run on a broken testbed');
    },
  },
  {
    id: 'RES-07',
    title: 'a trigger comes back byte for byte',
    async run(it) {
      const before = nowSeconds() - 5;
      const triggers = [
        'glibc/2.40',
        ' spaces  inside ',
        'tab\tnew\nline\r\n',
        'ünïcödé 🐟 \u2028',
        '<b>&amp;"\'\\',
        '%41+',
        '',
      ];
      const { runs } = await it.submit(triggers.map((trigger) => ({ package: it.name(), trigger })));
      const { results } = await it.since(before);
      const shownTriggers = runs.map(({ run_id }) => results.find((run) => run.run_id === run_id)?.trigger);
      equal(shownTriggers, triggers, 'the triggers');
    },
  },
  {
    id: 'RES-08',
    title: 'one run can be read by its id: own, or public',
    async run(it) {
      const before = nowSeconds() - 5;
      const runId = await it.submitOne();
      equal(asListed(await it.one(runId)), await listed(it, runId, before), 'the run');
      if (!it.options.otherKey) return;
      equal((await it.one(runId, it.otherKey)).run_id, runId, "the run_id, read with another user's key");
    },
  },
  {
    id: 'RES-09',
    title: 'results are for the key that requested them, and for no other',
    needs: ['other key'],
    async run(it) {
      const before = nowSeconds() - 5;
      const runId = await it.submitOne();
      ok(await listed(it, runId, before), 'the run is not listed for its own key');
      const { results } = await it.since(before, { key: it.otherKey });
      equal(
        results.some((run) => run.run_id === runId),
        false,
        "listed with another user's key",
      );
    },
  },
  {
    id: 'RES-10',
    title: 'another key of the same user does not see them either',
    needs: ['password'],
    async run(it) {
      const before = nowSeconds() - 5;
      const { key } = await it.newKey();
      const runId = await it.submitOne({ is_private: true });
      equal((await it.since(before, { key })).results, [], 'results of the new key');
      problem(await it.api(`/test/${runId}`, { key }), 404);
    },
  },
  {
    id: 'RES-11',
    title: 'nothing but pass, fail, tmpfail or null is ever a status',
    async run(it) {
      const { results } = await it.since(0);
      const statuses = [...new Set(results.map((run) => run.status))];
      equal(
        statuses.filter((word) => !['pass', 'fail', 'tmpfail', null].includes(word)),
        [],
        'other statuses',
      );
    },
  },
  {
    id: 'RES-12',
    title: 'a finished run shows how its single tests ended; one that has not finished shows none',
    needs: ['stub', 'idle architecture'],
    async run(it) {
      const { run_id } = await it.finished({ package: it.name('fail-') });
      const { tests } = await it.one(run_id);
      equal(tests, [{ name: 'stub', status: 'FAIL', detail: 'non-zero exit status 1' }], 'the tests');
      equal((await it.one(await it.submitOne())).tests, [], 'the tests of a run that waits');
    },
  },
];
