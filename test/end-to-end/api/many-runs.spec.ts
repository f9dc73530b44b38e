import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

type Json = Record<string, unknown>;

async function send(path: string, body: Json): Promise<Json> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await api.api(path, { method: 'POST', body: JSON.stringify(body), headers });
  expect(response.status).toBe(200);
  return (await response.json()) as Json;
}
const cancel = (body: Json) => send('/test/cancel', body);
const reprioritise = (body: Json) => send('/test/priority', { priority: 9, ...body });

const run = async (runId: number): Promise<Json> => (await (await api.api(`/test/${runId}`)).json()) as Json;

/** Resolves with the architectures whose dispatchers were woken, once there are as many. */
async function woken(count: number, work: () => Promise<unknown>): Promise<string[]> {
  const architectures: string[] = [];
  let enough: () => void;
  const hasEnough = new Promise<void>((resolve) => (enough = resolve));
  const ends = ['amd64', 'arm64'].map((arch) =>
    api.bus.subscribe(subjectOf(SUBJECTS.ordersWaiting, arch), () => {
      architectures.push(arch);
      if (architectures.length === count) enough();
    }),
  );
  await work();
  await hasEnough;
  ends.forEach((end) => end());
  return architectures.sort();
}

it('many runs at once are those of the key alone: a priority is for the waiting, an end for the executed too', async () => {
  const trigger = 'gcc-15/15.2.0-1 é';
  const waiting = [await api.submit('many', { trigger }), await api.submit('many', { trigger })];
  const [executed, finishedRun] = [
    await api.submit('many', { trigger }),
    await api.submit('many', { trigger }),
  ];
  await api.start(executed);
  await api.finish(finishedRun);
  const others = [
    await api.submit('many-more', { trigger }),
    await api.submit('many', { trigger }, api.keys.aliceSecond),
    await api.submit('many', { trigger }, api.keys.bob),
  ];
  const selection = { package: 'many', trigger, suite: 'bookworm' };
  expect(await reprioritise({ ...selection, reason: 'security' })).toEqual({ changed: waiting });
  expect((await run(waiting[0]!)).facts).toMatchObject([
    { kind: 'requested' },
    { kind: 'reprioritised', actor: 'user alice', reason: expect.stringMatching(/5.*9.*security/) },
  ]);
  expect(await cancel(selection)).toEqual({ cancelled: [...waiting, executed] });
  expect(await run(finishedRun)).toMatchObject({ status: 'pass', priority: 5 });
  for (const runId of others) expect(await run(runId)).toMatchObject({ status: null, priority: 5 });
});

it('a cancellation of many runs wakes the dispatchers that it may concern, and those who wait for results', async () => {
  const runId = await api.submit('awake');
  const since = (Date.parse((await run(runId)).updated_at as string) + 1) / 1_000;
  const waiting = api.api(`/test?since=${since}&wait=20`);
  expect(await woken(2, () => cancel({ package: 'awake' }))).toEqual(['amd64', 'arm64']);
  const { results } = (await (await waiting).json()) as { results: Json[] };
  expect(results).toMatchObject([{ run_id: runId, status: 'tmpfail' }]);
  await api.submit('awake');
  expect(await woken(1, () => cancel({ package: 'awake', arch: 'amd64' }))).toEqual(['amd64']);
});

it('another priority of many runs wakes the dispatchers', async () => {
  await api.submit('hurried');
  expect(await woken(2, () => reprioritise({ package: 'hurried' }))).toEqual(['amd64', 'arm64']);
});
