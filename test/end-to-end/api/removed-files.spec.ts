import { Browser } from '@test/support/browser';
import { startApi, type RunningApi } from '@test/support/api';
import { pageOf, rows } from '@test/support/pages';

let api: RunningApi;
let runId: number;
let path: string;

beforeAll(async () => {
  api = await startApi();
  runId = await api.submit('hello');
  await api.finish(runId, { verdict: 'fail', files: { 'log.gz': 'all of it\n', 'artifacts.tar.gz': '' } });
  path = `bookworm/amd64/h/hello/${runId}`;
});
afterAll(() => api.stop());

const problemOf = async (answer: Promise<Response>) =>
  (await (await answer).json()) as { status: number; detail: string };

const page = `/packages/h/hello/bookworm/amd64`;

it('files that a rule has removed are gone, everywhere with the rule, and the page of their run says so', async () => {
  const paths = (): [string, RegExp][] => [
    [`/data/autopkgtest/${path}/log.gz`, /The log of run \d+ was removed: logs are kept for 180 days\./],
    [`/data/packages/bookworm/amd64/h/hello/latest-autopkgtest/log.gz`, /logs are kept for 180 days/],
    [
      `/data/autopkgtest/${path}/artifacts.tar.gz`,
      /The artifacts .* were removed: files of a package are kept up to 200 MiB/,
    ],
    [`/api/v1/runs/${runId}/log`, /logs are kept for 180 days/],
    [`/api/v1/runs/${runId}/log/events`, /logs are kept for 180 days/],
    [`${page}/${runId}/log`, /logs are kept for 180 days/],
    [`${page}/${runId}/raw`, /logs are kept for 180 days/],
    [`${page}/${runId}/artifacts/`, /files of a package/],
    [`${page}/${runId}/artifacts/some/file`, /files of a package/],
  ];
  const ask = async (at: string) => {
    const response = await (at.startsWith('/api/v1') ? api.api(at.slice('/api/v1'.length)) : api.fetch(at));
    return { status: response.status, text: await response.text() };
  };
  expect((await ask(paths()[0]![0])).status).toBe(200);
  const removal = { runId, logRule: 'logs: 180', artifactsRule: `files of a package: ${200 * 1024 ** 2}` };
  expect(await api.database.expiry.removeFiles([removal])).toEqual([runId]);
  for (const [at, rule] of paths()) {
    const { status, text } = await ask(at);
    expect([at, status]).toEqual([at, 410]);
    expect(text).toMatch(rule);
  }
  const answer = await ask(`${page}/${runId}/`);
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('The log was removed: logs are kept for 180 days.');
  const result = (await (await api.api(`/test/${runId}`)).json()) as { log_url: string | null };
  expect(result.log_url).toBeNull();
});

it('a run whose attempts are no longer kept has its page', async () => {
  expect(await api.database.expiry.removeStories([runId], 'facts and attempts: 400')).toBe(1);
  const answer = await api.fetch(`${page}/${runId}/`);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('facts and attempts are kept for 400 days');
  expect((await api.fetch(`${page}/${runId}/log`)).status).toBe(410);
});

it('a run that was removed is gone everywhere with the rule, a private one for its owner alone', async () => {
  const secret = await api.submit('hello', { is_private: true });
  await api.finish(secret, { verdict: 'fail' });
  await api.database.expiry.removeStories([secret], 'facts and attempts: 400');
  const { date } = (await (await api.api(`/test/${runId}`)).json()) as { date: string };
  expect(await api.database.expiry.removeRuns([runId, secret], 'runs: 3650')).toBe(2);
  const months = await api.fetch(`/data/packages/bookworm/amd64/h/hello/months.json`);
  expect(await months.json()).toMatchObject([
    { month: date.slice(0, 7), fail: 1, total: 1, total_duration_seconds: 30, average_duration_seconds: 30 },
  ]);
  const history = await pageOf(api, `${page}/`);
  expect(rows(history).at(-1)).toEqual([date.slice(0, 7), '1', '0', '1', '0', '0', '30 s']);
  expect(await pageOf(api, `${page}/?status=pass`)).not.toContain('Removed runs');
  const own = [`/test/${runId}`, `/runs/${runId}/log`, `/test/${secret}`].map((at) => api.api(at));
  const open = [`${page}/${runId}/`, `${page}/${runId}/log`, `/data/autopkgtest/${path}/log.gz`];
  const answers = await Promise.all([...own, ...open.map((at) => api.fetch(at))]);
  for (const answer of answers) {
    expect([answer.url, answer.status]).toEqual([answer.url, 410]);
    expect(await answer.text()).toMatch(/Run \d+ was removed: runs are kept for 3650 days\./);
  }
  for (const at of [`${page}/${secret}/`, `/data/autopkgtest/bookworm/amd64/h/hello/${secret}/log.gz`])
    expect([at, (await api.fetch(at)).status]).toEqual([at, 404]);
  const changes: [string, RequestInit][] = [runId, secret].flatMap((id): [string, RequestInit][] => [
    [`/retry/${id}`, {}],
    [`/retry/${id}`, { method: 'POST' }],
    [`/test/${id}`, { method: 'DELETE' }],
    ['/notes', { method: 'POST', body: new URLSearchParams({ run_id: String(id), text: 'x' }) }],
  ]);
  for (const [at, init] of changes)
    expect(await problemOf(api.api(at, init))).toMatchObject({
      status: 410,
      detail: expect.stringMatching(/^Run \d+ was removed: runs are kept for 3650 days\.$/) as string,
    });
  for (const [at, init] of changes.slice(changes.length / 2))
    expect(await problemOf(api.api(at, init, api.keys.bob))).toMatchObject({
      status: 404,
      detail: `There is no run ${secret}.`,
    });
  for (const name of ['alice', 'bob']) {
    await api.database.users.setPassword(name, `of ${name}`);
    const browser = new Browser(api.url);
    await browser.logIn(name, `of ${name}`);
    for (const id of [runId, secret]) {
      const answer = await browser.fetch(`/user/${name}/retry/${id}`);
      const mayKnow = id === runId || name === 'alice';
      expect([name, id, answer.status]).toEqual([name, id, mayKnow ? 410 : 404]);
      expect(await answer.text()).toContain(
        mayKnow ? 'runs are kept for 3650 days' : `There is no run ${id}`,
      );
    }
  }
  const data = await api.fetch(`/data/packages/bookworm/amd64/h/hello/history.json`);
  expect(await data.text()).not.toContain(String(runId));
});
