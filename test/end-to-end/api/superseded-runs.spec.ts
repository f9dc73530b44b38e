import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi, type RunningApi } from '@test/support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({
    server: { supersede: [{ suite: 'bookworm', running: false, acrossUsers: false }] },
  });
});
afterAll(() => api.stop());

const resultOf = async (runId: number) =>
  (await (await api.api(`/test/${runId}`)).json()) as Record<string, unknown>;

it('a request with a newer version ends an older one that waits, before its answer, and wakes the dispatcher', async () => {
  const older = await api.submit('hello', { trigger: 'glibc/2.42-1' });
  const signal = new Promise((resolve) => {
    const unsubscribe = api.bus.subscribe(subjectOf(SUBJECTS.ordersWaiting, 'amd64'), () =>
      resolve(unsubscribe()),
    );
  });
  const newer = await api.submit('hello', { trigger: 'glibc/2.42-2' });
  expect(await resultOf(older)).toMatchObject({
    state: 'finished',
    status: 'tmpfail',
    message: `superseded by run ${newer}`,
    superseded_by: newer,
  });
  expect(await resultOf(newer)).toMatchObject({ state: 'queued', superseded_by: null });
  await signal;
});

it('the page of a superseded run names the newer one, and that of its trigger counts it as superseded', async () => {
  const older = await api.submit('page', { trigger: 'perl/5.42-1' });
  const newer = await api.submit('page', { trigger: 'perl/5.42-2' });
  const page = await (await api.fetch(`/runs/${older}`, { redirect: 'follow' })).text();
  expect(page).toContain(
    `The test of page on bookworm/amd64 was superseded by run ${newer}, which tests with a newer version.`,
  );
  expect(page).toContain(`<a href="/runs/${newer}">run ${newer}</a>`);
  const trigger = await (await api.api('/triggers/perl/5.42-1')).json();
  expect(trigger).toMatchObject({ total: 0, counts: { superseded: 1 } });
});

it('a retry brings a superseded run back', async () => {
  const older = await api.submit('retried', { trigger: 'gcc-15/15.2-1' });
  await api.submit('retried', { trigger: 'gcc-15/15.2-2' });
  const response = await api.api(`/retry/${older}`, { method: 'POST' });
  const { run_id: retry } = (await response.json()) as { run_id: number };
  await api.submit('retried', { trigger: 'gcc-15/15.2-3' });
  expect(await resultOf(retry)).toMatchObject({ state: 'queued', trigger: 'gcc-15/15.2-1' });
});
