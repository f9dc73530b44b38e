import { startApi, type RunningApi } from '../../support/api';

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
  const shown = await ask(`${page}/${runId}/`);
  expect(shown.status).toBe(200);
  expect(shown.text).toContain('The log was removed: logs are kept for 180 days.');
  const result = (await (await api.api(`/test/${runId}`)).json()) as { log_url: string | null };
  expect(result.log_url).toBeNull();
});

it('a run whose attempts are not kept any more has its page', async () => {
  expect(await api.database.expiry.removeStories([runId], 'facts and attempts: 400')).toBe(1);
  const shown = await api.fetch(`${page}/${runId}/`);
  expect(shown.status).toBe(200);
  expect(await shown.text()).toContain('facts and attempts are kept for 400 days');
  expect((await api.fetch(`${page}/${runId}/log`)).status).toBe(410);
});
