import { RUN_ID_MAX } from '@proctor/contracts';
import { Client } from '@test/support/client';
import { connectTo } from '@test/support/database';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { silenceLog } from '@test/support/silent-log';
import { STUB_SUITE, stubConfiguration } from '@test/support/stub';

silenceLog();

const arch = hostArchitecture();

let proctor: RunningProctor;
let client: Client;

beforeAll(async () => {
  proctor = await startProctor({ config: stubConfiguration() });
  client = Client.of(proctor);
});
afterAll(() => proctor?.stop());

type Json = Record<string, unknown>;

async function post(path: string, body?: Json): Promise<Json> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await client.fetch(`/api/v1${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body ?? {}),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Json;
}

it.each([
  ['beyond 32 bits', 2 ** 31 + 5],
  ['near 2^53', RUN_ID_MAX - 10],
])('runs with ids %s are executed, retried, published and cancelled', async (_where, first) => {
  const database = await connectTo(proctor.databaseUrl);
  await database.query(`select setval('runs_run_id_seq', $1, false)`, [first]);
  await database.end();
  const item = { package: 'hello', is_private: true };
  const runId = await client.submitOne(STUB_SUITE, arch, item);
  expect(runId).toBe(first);
  const run = await client.finished(runId);
  expect(run).toMatchObject({ run_id: runId, status: 'pass', is_private: true });
  expect(await post('/test/publish', { run_ids: String(runId) })).toEqual({
    published: [runId],
    ignored: [],
  });
  const log = await fetch(`${proctor.url}${(await client.run(runId)).log_url}`);
  expect([log.status, (await log.text()).length > 0]).toEqual([200, true]);

  expect(await post(`/retry/${runId}`)).toEqual({ run_id: runId + 1 });
  expect(await client.finished(runId + 1)).toMatchObject({ run_id: runId + 1, status: 'pass' });

  const hanging = await client.submitOne(STUB_SUITE, arch, { package: 'hang-on' });
  await client.runThat(hanging, ({ state }) => state === 'running');
  expect(await post('/test/cancel', { run_ids: [hanging] })).toEqual({ cancelled: [hanging] });
  expect(await client.run(hanging)).toMatchObject({ status: 'tmpfail', state: 'finished' });

  const { results } = await client.since(0);
  const ids = results.map((result) => result.run_id);
  expect(ids).toEqual(expect.arrayContaining([runId, runId + 1, hanging]));
});
