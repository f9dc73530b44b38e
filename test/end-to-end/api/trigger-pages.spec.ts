import type { Verdict } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser } from '@test/support/browser';
import { rows } from '@test/support/pages';

let api: RunningApi;
let bob: Browser;
beforeAll(async () => {
  api = await startApi();
  await api.database.users.setPassword('bob', 'of bob');
  bob = new Browser(api.url);
  await bob.logIn('bob', 'of bob');
});
afterAll(() => api.stop());

const NONE = { passed: 0, failed: 0, broken: 0, untested: 0, running: 0, waiting: 0 };

it('the list, the feed and the page of a trigger count the same tests: the newest run of each place, unless it was cancelled', async () => {
  const name = 'counted/2';
  const finish = async (verdict: Verdict): Promise<number> => {
    const runId = await api.submit(verdict, { trigger: name });
    await api.finish(runId, { verdict });
    return runId;
  };
  const again = await finish('fail');
  for (const verdict of ['fail', 'pass', 'neutral', 'tmpfail', 'absent'] as const) await finish(verdict);
  const runs = await api.database.triggerRuns.of(name, {});
  expect(runs.filter((run) => run.package === 'fail').map(({ runId }) => runId)).toContain(again);
  await api.submit('waits', { trigger: name });
  await api.api(`/test/${await api.submit('cancelled', { trigger: name })}`, { method: 'DELETE' });

  const counted = { ...NONE, passed: 2, failed: 1, broken: 1, untested: 1, waiting: 1 };
  expect((await api.database.triggerRuns.list(name, 1, null)).triggers).toMatchObject([
    { ...counted, runs: 8, unfinished: 1, failedRuns: 2, suites: ['bookworm'] },
  ]);
  expect(await api.database.triggerRuns.totals(name, {})).toEqual([{ ...counted, arch: 'amd64' }]);
  const words = ['2 passed', '1 failed', '1 could not run', '1 not in the suite', '1 waiting'];
  const [list, page] = [await bob.textOf(`/triggers/?query=counted`), await bob.textOf(`/triggers/${name}`)];
  for (const html of [list, page]) {
    expect(outcomesIn(html)).toEqual(words);
    expect(html).toContain('5 of 6');
  }
  expect(rows(list)[1]!.slice(0, 2)).toEqual([name, 'bookworm']);
  expect(await (await api.fetch('/triggers/feed.xml')).text()).toContain('5 of 6 done, 1 failed');
});

/** The words beside the first bar of a page. */
function outcomesIn(html: string): string[] {
  const [list] = /<ul class="outcome-words">(.*?)<\/ul>/s.exec(html) ?? [''];
  return [...list.matchAll(/<\/svg>([^<]+)/g)].map(([, words]) => words!);
}

it('a trigger that nothing can test says why its tests wait', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ trigger: 'stuck/1' });
  await api.api('/test/trixie/arm64/here', { method: 'POST', headers, body });
  expect(rows(await bob.textOf('/triggers/stuck/1'))[1]).toEqual([
    'arm64',
    '1 waiting',
    '0 of 1',
    'not known',
    'no scheduler answers for arm64',
  ]);
});
