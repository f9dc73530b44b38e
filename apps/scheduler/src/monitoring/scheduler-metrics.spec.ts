import { Registry } from 'prom-client';
import { ManualClock } from '@test/support/manual-clock';
import { silenceLog } from '@test/support/silent-log';
import type { DispatcherFigures } from '../dispatcher/actor-ports';
import { SchedulerMetrics, type MeasuredScheduler } from './scheduler-metrics';

silenceLog();

const FIGURES: DispatcherFigures = {
  epoch: 4,
  mailbox: 2,
  queues: [{ suite: 'sid', band: 'high', waiting: 3, running: 1, oldestMs: 90_000 }],
  workers: { sound: 2, slowed: 0, quarantined: 0, drained: 0, silent: 1 },
  machines: [],
  slots: 4,
};

const STREAMS = {
  fills: [{ kind: 'events', bytes: 5, bytesMax: 10, fullest: 0.5 }] as const,
  reportsPending: new Map([['amd64', 7]]),
};

const VITALS = {
  factsUnpublished: 9,
  oldestTransactionSeconds: 1.5,
  backupAgeSeconds: null as number | null,
  webhooksPending: 3,
  webhooksOldestSeconds: 40,
  webhooksDisabled: 1,
};

function metricsOf(figures = new Map<string, DispatcherFigures | null>([['amd64', FIGURES]])) {
  const clock = new ManualClock();
  const vitals = {
    read: jest.fn(() => Promise.resolve(VITALS)),
    poolUse: () => ({ max: 10, busy: 1, idle: 2, waiting: 0 }),
  };
  const streams = { read: jest.fn(() => Promise.resolve(STREAMS)) };
  const measured = {
    dispatchers: { figures: () => figures },
    vitals,
    streams,
    configuration: { server: { architectures: ['amd64', 'arm64'], suites: ['sid'] }, store: { kind: 's3' } },
  } as unknown as MeasuredScheduler;
  const metrics = new SchedulerMetrics(measured, clock, new Registry());
  return { metrics, clock, vitals, streams, figures };
}

it('what dispatchers have in memory is shown by suite, architecture and band', async () => {
  const text = await metricsOf().metrics.text();
  for (const line of [
    'proctor_queue_waiting{suite="sid",arch="amd64",band="high"} 3',
    'proctor_queue_running{suite="sid",arch="amd64",band="high"} 1',
    'proctor_queue_oldest_seconds{suite="sid",arch="amd64",band="high"} 90',
    'proctor_queue_waiting{suite="sid",arch="amd64",band="low"} 0',
    'proctor_owned{arch="amd64"} 1',
    'proctor_owned{arch="arm64"} 0',
    'proctor_epoch{arch="amd64"} 4',
    'proctor_mailbox{arch="amd64"} 2',
    'proctor_workers{arch="amd64",standing="silent"} 1',
    'proctor_reports_pending{arch="amd64"} 7',
    'proctor_stream_fullest_ratio{kind="events"} 0.5',
    'proctor_facts_unpublished 9',
    'proctor_webhook_pending 3',
    'proctor_webhook_oldest_seconds 40',
    'proctor_webhook_disabled 1',
    'proctor_database_connections{pool="main",state="busy"} 1',
  ])
    expect(text.split('\n')).toContain(line);
});

it('an architecture that is released is no longer shown, nor is a store that is no folder', async () => {
  const { metrics, figures } = metricsOf();
  await metrics.text();
  figures.delete('amd64');
  const text = await metrics.text();
  expect(text).toContain('proctor_owned{arch="amd64"} 0');
  expect(text).not.toMatch(/^proctor_(queue_waiting|epoch|workers)\{/m);
  expect(text).not.toMatch(/^proctor_store_bytes /m);
});

it('servers are asked at a scrape, and once in 15 seconds', async () => {
  const { metrics, clock, vitals, streams } = metricsOf();
  clock.advance(60_000);
  expect(vitals.read).not.toHaveBeenCalled();
  await Promise.all([metrics.text(), metrics.text()]);
  clock.advance(14_000);
  await metrics.text();
  expect([vitals.read.mock.calls.length, streams.read.mock.calls.length]).toEqual([1, 1]);
  clock.advance(1_000);
  await metrics.text();
  expect([vitals.read.mock.calls.length, streams.read.mock.calls.length]).toEqual([2, 2]);
});

it('numbers that a server no longer answers are left out, and the others are shown', async () => {
  const { metrics, clock, vitals, streams } = metricsOf();
  await metrics.text();
  clock.advance(15_000);
  vitals.read.mockRejectedValue(new Error('away'));
  streams.read.mockRejectedValue(new Error('away'));
  const text = await metrics.text();
  expect(text).not.toMatch(/^proctor_(facts_unpublished|stream_bytes|reports_pending)\b/m);
  expect(text).toContain('proctor_mailbox{arch="amd64"} 2');
});

it('the age of the newest backup is shown if there is one', async () => {
  const { metrics, clock, vitals } = metricsOf();
  expect(await metrics.text()).not.toMatch(/^proctor_backup_age_seconds/m);
  vitals.read.mockResolvedValue({ ...VITALS, backupAgeSeconds: 90_000 });
  clock.advance(60_000);
  expect(await metrics.text()).toMatch(/^proctor_backup_age_seconds 90000$/m);
});
