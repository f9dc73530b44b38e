import { DroppedResults } from '../reports/dropped-results';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { findFreePort } from '@proctor/embedded';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { sendRaw } from '@test/support/raw-http';
import type { Lack } from '../testbed/resource-guard';
import { HealthLog } from './health-log';
import { MonitoringServer } from '@proctor/monitoring';
import { monitoredHealth, workerAddress } from './health.providers';
import { healthSentence, WorkerHealth, type HealthReport, type HealthSources } from './worker-health';

const RUN = {
  run: 42,
  attempt: 2,
  package: 'hello',
  suite: 'bookworm',
  arch: 'amd64',
  backend: 'unshare',
  variant: 'autopkgtest',
  seconds: 7,
};

const IMAGE = { recipe: '', release: null, provedBoot: '', mode: '' };

function makeHealth(
  changes: {
    connected?: boolean;
    problem?: string;
    lacks?: Lack[];
    stopping?: boolean;
    notices?: HealthSources['notices'];
    standings?: HealthReport['standings'];
  } = {},
) {
  const clock = new VirtualClock();
  const record = { ...IMAGE, suite: 'bookworm', arch: 'amd64', builtAt: 1_000_000 };
  const dropped = new DroppedResults();
  dropped.count('stale');
  const sources: HealthSources = {
    worker: { architectures: ['amd64'], isStopping: changes.stopping ?? false },
    bus: { isConnected: () => changes.connected ?? true },
    runs: {
      listPublic: () => [RUN],
      busy: 2,
      countEnds: () => ({ pass: 3, neutral: 0, fail: 1, tmpfail: 0, absent: 0, none: 0 }),
    },
    outbox: { waiting: 1, dropped },
    offer: {
      currentOffer: () => ({
        testbeds: [],
        variants: [],
        ...(changes.problem && { problem: changes.problem }),
      }),
      listLacks: () => changes.lacks ?? [],
    },
    notices: changes.notices ?? { problem: undefined, refusal: undefined },
    standings: { current: () => changes.standings ?? {} },
    testbeds: {
      findings: () => ({
        backends: { unshare: null, podman: 'podman is missing' },
        variants: { autopkgtest: '5.28', 'odd "one"': null },
      }),
    },
    backends: [{ name: 'unshare', records: () => Promise.resolve([record]) }],
  };
  const configuration = { name: 'w1', workPath: '/', slots: 2 };
  const wallClock = () => 1_000_000 + 3_600_000;
  return { health: new WorkerHealth(configuration, sources, clock, wallClock), clock };
}

const SILENT = { log: () => undefined, warn: () => undefined };

const servers: MonitoringServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.beforeApplicationShutdown())));

function serverOf(port: number, changes: Parameters<typeof makeHealth>[0] = {}): MonitoringServer {
  const server = new MonitoringServer(
    monitoredHealth(makeHealth(changes).health),
    workerAddress({ metrics: { host: '127.0.0.1', port } }),
    SILENT,
  );
  servers.push(server);
  return server;
}

/** The address of the health. */
async function serve(changes: Parameters<typeof makeHealth>[0] = {}): Promise<string> {
  const port = await findFreePort();
  await serverOf(port, changes).onModuleInit();
  return `http://127.0.0.1:${port}`;
}

it('the health of a worker is served as JSON', async () => {
  const answer = await fetch(`${await serve()}/health`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const report = (await answer.json()) as { machine: Record<string, unknown> };
  expect(report).toMatchObject({
    worker: 'w1',
    ready: true,
    problem: null,
    connected: true,
    slots: 2,
    busy: 2,
    runs: [RUN],
    ended: { pass: 3, fail: 1 },
    resultsWaiting: 1,
    resultsDropped: { stale: 1, refused: 0, second: 0, unkept: 0 },
    backends: { unshare: null, podman: 'podman is missing' },
    images: [{ backend: 'unshare', suite: 'bookworm', arch: 'amd64', ageSeconds: 3600 }],
    versions: { node: process.version, variants: { autopkgtest: '5.28' } },
  });
  const { memoryBytes, memoryAvailableBytes, diskBytes, diskAvailableBytes, processors, load } =
    report.machine;
  for (const number of [memoryBytes, memoryAvailableBytes, diskBytes, diskAvailableBytes, processors]) {
    expect(number).toBeGreaterThan(0);
  }
  expect(load).toHaveLength(3);
});

it('a worker with which something is wrong that takes work is ready, and says so', async () => {
  const notices = { problem: 'another calls itself w1, too', refusal: undefined };
  const answer = await fetch(`${await serve({ notices })}/health`);
  expect(answer.status).toBe(200);
  const report = (await answer.json()) as HealthReport;
  expect(report).toMatchObject({ ready: true, problem: 'another calls itself w1, too' });
  expect(healthSentence(report)).toMatch(/^takes work, but another calls itself w1, too;/);
});

it.each([
  ['is not connected', { connected: false }, { ready: false, connected: false }],
  ['is stopped', { stopping: true }, { ready: false, problem: 'the worker drains' }],
  [
    'is quarantined',
    { standings: { amd64: { standing: 'quarantined', reason: 'no disk', untilSeconds: 40 } } },
    {
      ready: false,
      problem: 'it is quarantined: no disk',
      standings: { amd64: { standing: 'quarantined', reason: 'no disk', untilSeconds: 40 } },
    },
  ],
  ['has a problem', { problem: 'the disk is full' }, { ready: false, problem: 'the disk is full' }],
  [
    'is refused by a dispatcher',
    { notices: { problem: 'another has its name', refusal: 'another has its name' } },
    { ready: false, problem: 'another has its name' },
  ],
] as const)('a worker that %s is not ready', async (_, changes, expected) => {
  const answer = await fetch(`${await serve(changes)}/health`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject(expected);
});

it('the numbers of a worker’s health are metrics too, with all names escaped', async () => {
  const answer = await fetch(`${await serve()}/metrics`);
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const lines = (await answer.text()).split('\n');
  for (const line of [
    'proctor_worker_ready 1',
    'proctor_worker_slots 2',
    'proctor_worker_runs 2',
    'proctor_worker_results_waiting 1',
    'proctor_worker_attempts_total{verdict="pass"} 3',
    'proctor_worker_attempts_total{verdict="none"} 0',
    'proctor_worker_results_dropped_total{cause="stale"} 1',
    'proctor_worker_backend_usable{backend="unshare"} 1',
    'proctor_worker_backend_usable{backend="podman"} 0',
    'proctor_worker_image_age_seconds{backend="unshare",suite="bookworm",arch="amd64"} 3600',
    'proctor_worker_variant_info{variant="autopkgtest",version="5.28"} 1',
    'proctor_worker_variant_info{variant="odd \\"one\\"",version="unknown"} 1',
    '# TYPE proctor_worker_attempts_total counter',
  ]) {
    expect(lines).toContain(line);
  }
});

it('the health of a worker shows what the machine lacks, and for how long', async () => {
  const lacks: Lack[] = [{ of: 'disk', why: '0 MiB free', seconds: 90 }];
  const url = await serve({ problem: '0 MiB free', lacks });
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ ready: false, lacks });
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  for (const line of [
    'proctor_worker_lacking{of="disk"} 1',
    'proctor_worker_lacking{of="memory"} 0',
    'proctor_worker_lacking_seconds{of="disk"} 90',
    'proctor_worker_lacking_seconds{of="memory"} 0',
  ]) {
    expect(lines).toContain(line);
  }
});

it('the health of a worker shows its standing with each dispatcher', async () => {
  const standings = { amd64: { standing: 'slowed', reason: 'run 5 failed', untilSeconds: 40 } } as const;
  const url = await serve({ standings });
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ ready: true, standings });
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  for (const line of [
    'proctor_worker_standing{arch="amd64",standing="slowed"} 1',
    'proctor_worker_standing{arch="amd64",standing="sound"} 0',
    'proctor_worker_standing_until_seconds{arch="amd64"} 40',
  ]) {
    expect(lines).toContain(line);
  }
  expect(await (await fetch(`${await serve()}/metrics`)).text()).toContain(
    'proctor_worker_standing{arch="amd64",standing="sound"} 1',
  );
});

it('the health server serves nothing but health and metrics', async () => {
  const url = await serve();
  expect((await fetch(`${url}/`)).status).toBe(404);
  expect((await fetch(`${url}/health`, { method: 'POST' })).status).toBe(405);
});

it('an error names the port that is taken', async () => {
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as { port: number };
  try {
    await expect(serverOf(port).onModuleInit()).rejects.toThrow(
      `metrics.port of worker.yaml: cannot listen at 127.0.0.1:${port}: `,
    );
  } finally {
    other.close();
  }
});

it('the log shows the health of a worker every ten minutes', async () => {
  const { health, clock } = makeHealth({ connected: false });
  const statusText = new Promise<string>((resolve) => {
    const log = new HealthLog(health, clock, { log: resolve, warn: resolve });
    log.onModuleInit();
  });
  await clock.runUntil(600_000);
  expect(await statusText).toMatch(
    /^takes no work: it is not connected to NATS; 2 of 2 slots busy, 1 results waiting, load [\d.]+ on \d+ processors, [\d.]+ GiB of memory and [\d.]+ GiB of disk free$/,
  );
});

it('a monitor may ask through a proxy, by a whole address', async () => {
  const { port } = new URL(await serve());
  const request = (target: string) =>
    sendRaw(Number(port), Buffer.from(`GET ${target} HTTP/1.1\r\nHost: own.example\r\n\r\n`));
  expect((await request('http://any.example/live?x')).body).toBe('alive\n');
  expect((await request('ftp://any.example/live')).status).toBe(400);
});

it('a request for health with two headers Host is refused', async () => {
  const { port } = new URL(await serve());
  const request = (headers: string) =>
    sendRaw(Number(port), Buffer.from(`GET /live HTTP/1.1\r\n${headers}\r\n\r\n`));
  expect(await request('Host: own.example\r\nhOST: other.example')).toMatchObject({
    status: 400,
    body: 'A request may have one header Host only.\n',
  });
  expect((await request('Host: own.example/x')).status).toBe(400);
});
