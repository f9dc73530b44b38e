import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@proctor/embedded';
import { Client } from '@test/support/client';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { faultsOfMetrics } from '@test/support/promtool';
import { STUB_SUITE, stubConfiguration } from '@test/support/stub';
import { TraceReceiver } from '@test/support/trace-receiver';
import { until } from '@test/support/until';

const arch = hostArchitecture();
const documents = join(__dirname, '../../../docs/monitoring');

let proctor: RunningProctor;
let client: Client;
let traces: TraceReceiver;
let ports: { api: number; scheduler: number };

beforeAll(async () => {
  ports = { api: await findFreePort(), scheduler: await findFreePort() };
  traces = await TraceReceiver.start();
  const config = stubConfiguration({
    metrics: { port: ports.scheduler },
    tracesUrl: traces.url,
    retry: { delayMs: 100 },
  });
  const api = { metrics: { port: ports.api } };
  proctor = await startProctor({
    config: { ...config, proctor: { ...config.proctor, api } },
    env: { PROCTOR_LOG: 'json' },
  });
  client = Client.of(proctor);
});

afterAll(async () => {
  await proctor?.stop();
  await traces?.stop();
});

type Part = keyof typeof ports;

const ask = (part: Part, path: string) => fetch(`http://127.0.0.1:${ports[part]}${path}`);
const scrape = async (part: Part): Promise<string> => (await ask(part, '/metrics')).text();

/** The value of a series; undefined when it is not there. */
async function value(part: Part, series: string): Promise<number | undefined> {
  const line = (await scrape(part)).split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

/** A scheduler counts what it has written a moment after others can read it. */
async function expectValue(part: Part, series: string, expected: number): Promise<void> {
  await until(async () => (await value(part, series)) === expected);
  expect([series, await value(part, series)]).toEqual([series, expected]);
}

const lines = (name: string): Record<string, unknown>[] =>
  proctor.output.of(name).map((line) => JSON.parse(line) as Record<string, unknown>);

it('a finished run is counted with its wait, its lease and its verdict, and nothing names its package', async () => {
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'hello', priority: 9 });
  await client.finished(runId);
  const labels = `{arch="${arch}"}`;
  await expectValue('scheduler', `proctor_grants_total${labels}`, 1);
  await expectValue('scheduler', `proctor_lease_seconds_count${labels}`, 1);
  await expectValue('scheduler', `proctor_run_wait_seconds_count{arch="${arch}",band="high"}`, 1);
  const attempts = `proctor_attempts_total{arch="${arch}",verdict="pass",cause="finished"}`;
  await expectValue('scheduler', attempts, 1);
  await expectValue('scheduler', `proctor_owned${labels}`, 1);
  await expectValue('scheduler', `proctor_workers{arch="${arch}",standing="sound"}`, 1);
  const waiting = `proctor_queue_waiting{suite="${STUB_SUITE}",arch="${arch}",band="low"}`;
  await expectValue('scheduler', waiting, 0);
  const submitted = `proctor_http_request_seconds_count{method="POST",route="/api/v1/test/:suite/:arch",status="2xx"}`;
  await expectValue('api', submitted, 1);
  for (const part of ['api', 'scheduler'] as const) expect(await scrape(part)).not.toMatch(/hello|admin/);
});

it('every metric of the dashboard and of the alerts is one that api or scheduler has', async () => {
  const names = new Set(
    [await scrape('api'), await scrape('scheduler')]
      .flatMap((text) => [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)])
      .flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
  );
  for (const file of ['dashboard.json', 'alerts.yml']) {
    const used = [...readFileSync(join(documents, file), 'utf8').matchAll(/\bproctor_[a-z0-9_]+\b/g)].map(
      ([name]) => name,
    );
    expect(new Set(used).size).toBeGreaterThan(10);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  }
});

it('Prometheus finds nothing wrong with the metrics of api and scheduler', async () => {
  for (const part of ['api', 'scheduler'] as const)
    expect(await faultsOfMetrics(await scrape(part))).toBe('');
});

it('the scheduler says that it is ready, what it owns and what it depends on', async () => {
  const response = await ask('scheduler', '/health');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    version: expect.any(String) as string,
    ready: true,
    dependencies: { database: null, nats: null, store: null },
    architectures: { [arch]: expect.any(Number) as number },
    loading: [],
  });
  expect((await ask('scheduler', '/live')).status).toBe(200);
  expect((await fetch(`${proctor.url}/health/live`)).status).toBe(200);
});

it('a request keeps its id in the answer, in problems and in the log; one that is not sane is replaced', async () => {
  const requestHeaders = { 'X-Request-Id': 'from-a-proxy/7' };
  const missing = await client.fetch('/api/v1/test/999999', { headers: requestHeaders });
  expect(missing.headers.get('x-request-id')).toBe('from-a-proxy/7');
  expect(await missing.json()).toMatchObject({ status: 404, request_id: 'from-a-proxy/7' });
  const isLogged = () =>
    lines('api').some((line) => line['request'] === 'from-a-proxy/7' && line['context'] === 'Access');
  expect(await until(() => Promise.resolve(isLogged()))).toBe(true);
  const own = await client.fetch('/health', { headers: { 'X-Request-Id': 'two words' } });
  expect(own.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

it('the trace of a run is sent once it has ended, with its waits and attempts, and contains no package and no reason', async () => {
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'broken-trace' });
  await client.finished(runId);
  const spans = await traces.ofRun(runId);
  const names = spans.map(({ name }) => name).sort();
  expect(names.filter((name) => name === 'attempt')).toHaveLength(3);
  expect(names.filter((name) => name === 'wait')).toHaveLength(3);
  const root = spans.find(({ name }) => name === 'run')!;
  expect(root.parentSpanId).toBeUndefined();
  expect(root.attributes).toContainEqual({ key: 'proctor.verdict', value: { stringValue: 'tmpfail' } });
  expect(BigInt(root.endTimeUnixNano) > BigInt(root.startTimeUnixNano)).toBe(true);
  expect(
    spans.filter(({ name }) => name === 'attempt').every((each) => each.parentSpanId === root.spanId),
  ).toBe(true);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(JSON.stringify(spans)).not.toContain('broken-trace');
});

it('without NATS api and scheduler say that they are not ready, and why', async () => {
  await proctor.kill('nats', 'SIGKILL');
  for (const part of ['api', 'scheduler'] as const)
    expect(await until(async () => (await ask(part, '/health')).status === 503)).toBe(true);
  expect(await (await ask('scheduler', '/health')).json()).toMatchObject({
    ready: false,
    dependencies: { database: null, nats: 'not connected' },
  });
  expect(await (await fetch(`${proctor.url}/health`)).json()).toMatchObject({
    ready: false,
    bus: false,
    reasons: ['there is no connection to NATS'],
  });
  await proctor.restart('nats');
});
