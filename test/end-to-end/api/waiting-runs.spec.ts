import { subjectOf, SUBJECTS } from '@proctor/contracts';
import type { ExplainReply, QueueStatus, TestResult } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

type Json = Record<string, unknown>;

const REASONS = ['all 2 slots are busy', '2 runs of higher priority are ahead of it'];

async function get<T = Json>(path: string): Promise<T> {
  const response = await api.api(path);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as T;
}

/** Answers as the dispatcher of amd64 while `work` is done. */
async function withDispatcher<T>(
  { explain, queue }: { explain?: Partial<ExplainReply>; queue?: Partial<QueueStatus> },
  work: () => Promise<T>,
): Promise<T> {
  const ends = [
    api.bus.subscribe(subjectOf(SUBJECTS.explain, 'amd64'), ({ text, respond }) => {
      const { runId } = JSON.parse(text) as { runId: number };
      const reply = { position: 3, ahead: 2, startsInMs: 60_000, reasons: REASONS, ...explain };
      respond?.(JSON.stringify({ arch: 'amd64', epoch: 1, runId, ...reply }));
    }),
    api.bus.subscribe(subjectOf(SUBJECTS.status, 'amd64'), ({ respond }) => {
      const queueFacts = {
        suite: 'bookworm',
        waiting: 1,
        running: 0,
        emptyInMs: 60_500,
        paused: null,
        reasons: REASONS,
      };
      const queues = [{ ...queueFacts, ...queue }];
      respond?.(JSON.stringify({ arch: 'amd64', epoch: 1, workers: [], queues }));
    }),
  ];
  try {
    return await work();
  } finally {
    ends.forEach((end) => end());
  }
}

const pageOf = async (runId: number): Promise<string> =>
  (await api.fetch(`/packages/h/hello/bookworm/amd64/${runId}/`)).text();

it('a waiting run says where it stands, when it may start, and why it waits', async () => {
  const runId = await api.submit('hello');
  await withDispatcher({}, async () => {
    const before = Date.now();
    const run = await get(`/test/${runId}`);
    expect(run).toMatchObject({ state: 'queued', position: 3, ahead: 2, reasons: REASONS });
    expect(run.estimated_start).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    const start = Date.parse(run.estimated_start as string);
    expect(start).toBeGreaterThanOrEqual(before + 60_000);
    expect(start).toBeLessThanOrEqual(Date.now() + 61_000);
    const page = await pageOf(runId);
    expect(page).toMatch(
      /waits at position 3, behind 2 other runs\. It is expected to start (within|in) .*min\./,
    );
    for (const reason of REASONS) expect(page).toContain(`<li>${reason}</li>`);
  });
});

it('a waiting run has no expected start where none can be given', async () => {
  const runId = await api.submit('hello');
  await withDispatcher({ explain: { startsInMs: null } }, async () => {
    expect(await get(`/test/${runId}`)).toMatchObject({ position: 3, estimated_start: null });
  });
  expect(await get(`/test/${runId}`)).toMatchObject({
    position: null,
    ahead: null,
    estimated_start: null,
    reasons: ['no scheduler answers for amd64'],
  });
  expect(await pageOf(runId)).toContain('This run waits for its turn.');
});

it('a waiting run is in its queue', async () => {
  await api.submit('hello');
  const queue = async () => (await get<Json[]>('/queues'))[0]!;
  await withDispatcher({}, async () => {
    expect(await queue()).toMatchObject({ suite: 'bookworm', estimate_seconds: 61, reasons: REASONS });
    expect(await (await api.fetch('/')).text()).toContain('Done in about\u00a02\u00a0min');
  });
  expect(await queue()).toMatchObject({ reasons: ['no scheduler answers for amd64'] });
});

it('those who may see a run see its whole story, also on its page', async () => {
  const runId = await api.submit('hello', { trigger: 'x' });
  await api.database.decisions.reprioritise({ runIds: [runId] }, 8, { userId: 1, userName: 'alice' }, 'now');
  await api.finish(runId, { message: 'all <b>passed' });
  const run = await get(`/test/${runId}`);
  expect(run).not.toHaveProperty('position');
  expect(run).not.toHaveProperty('reasons');
  const facts = run.facts as Json[];
  expect(facts.map(({ kind, state, attempt, actor }) => [kind, state, attempt, actor])).toEqual([
    ['requested', 'queued', 0, 'user alice'],
    ['reprioritised', 'queued', 0, 'user alice'],
    ['granted', 'leased', 1, expect.any(String)],
    ['started', 'running', 1, 'worker worker-1'],
    ['finished', 'finished', 1, 'worker worker-1'],
  ]);
  for (const fact of facts) {
    expect(Object.keys(fact)).toEqual(['id', 'kind', 'state', 'attempt', 'actor', 'reason', 'at']);
  }
  const ids = facts.map(({ id }) => id as number);
  expect(ids).toEqual([1, 2, 3, 4, 5]);
  const page = await pageOf(runId);
  expect(page).toContain('<td>finished: pass</td>');
  expect(page).toContain('user alice');
  expect(page).not.toContain('<b>passed');
});

it('the story of a run has the single tests, also on its page', async () => {
  const runId = await api.submit('hello', { trigger: 'x' });
  expect((await get(`/test/${runId}`)).tests).toEqual([]);
  const tests: TestResult[] = [
    { name: 'unit', status: 'PASS', detail: null },
    { name: '<b>smoke', status: 'FAIL', detail: 'stderr: <i>no' },
  ];
  await api.finish(runId, { tests });
  expect((await get(`/test/${runId}`)).tests).toEqual(tests);
  const page = await pageOf(runId);
  expect(page).toMatch(
    /<td class="text"><a href="[^"]*\/log">unit<\/a><\/td>\n<td><span class="status pass"><svg .*<\/svg>PASS<\/span><\/td>/,
  );
  expect(page).toContain('&lt;b&gt;smoke');
  expect(page).not.toMatch(/<b>smoke|<i>no/);
});

it('the story of a run is not in lists', async () => {
  const { results } = await get<{ results: Json[] }>('/test?since=0');
  expect(results.length).toBeGreaterThan(0);
  for (const run of results) {
    expect(run).not.toHaveProperty('facts');
    expect(run).not.toHaveProperty('tests');
  }
});
