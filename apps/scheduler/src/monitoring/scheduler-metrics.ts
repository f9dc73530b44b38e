import { Inject, Injectable, Logger } from '@nestjs/common';
import { Outages, StreamLevels } from '@proctor/bus';
import { withTimeLimit, type Clock } from '@proctor/clock';
import { Vitals } from '@proctor/database';
import { BANDS, WORKER_FIGURES } from '@proctor/dispatch';
import { Cached, diskSpace } from '@proctor/monitoring';
import { Gauge, type Registry } from 'prom-client';
import { CLOCK, CONFIGURATION, REGISTRY, type LiveSchedulerConfiguration } from '../configuration.token';
import { Dispatchers } from '../dispatcher/dispatchers';

/** Numbers from a server are read at most this often; a scrape in between gets the last ones. */
const READ_EVERY_MS = 15_000;

/** A slower number is left out: a scrape that times out has no numbers at all. */
const ANSWER_MS = 4_000;

/** The sources of the numbers. */
@Injectable()
export class MeasuredScheduler {
  @Inject(Dispatchers) readonly dispatchers: Pick<Dispatchers, 'figures'>;
  @Inject(Vitals) readonly vitals: Pick<Vitals, 'read' | 'poolUse'>;
  @Inject(StreamLevels) readonly streams: Pick<StreamLevels, 'read'>;
  @Inject(CONFIGURATION) readonly configuration: Pick<LiveSchedulerConfiguration, 'server' | 'store'>;
}

/** The numbers of a scheduler that are read at each scrape; DispatcherMetrics counts the others. */
@Injectable()
export class SchedulerMetrics {
  private readonly outages: Outages;
  private readonly gauges: ReturnType<typeof gaugesIn>;
  private readonly slowNumbers: Cached<void>;

  constructor(
    private readonly measured: MeasuredScheduler,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(REGISTRY) private readonly registry: Registry,
  ) {
    this.outages = new Outages(new Logger('Metrics'), clock);
    this.gauges = gaugesIn(registry);
    const { storeBytes, storeFree } = this.gauges;
    // A gauge without labels would show 0 until its first value.
    for (const gauge of [...this.ofDatabase, storeBytes, storeFree]) gauge.remove();
    this.slowNumbers = new Cached(
      clock,
      () => READ_EVERY_MS,
      () => this.readSlowNumbers(),
    );
  }

  /** The metrics in the text format of Prometheus, without those that cannot be read. */
  async text(): Promise<string> {
    this.readMemory();
    await this.slowNumbers.load();
    return this.registry.metrics();
  }

  private readMemory(): void {
    const { gauges, measured } = this;
    const { architectures, suites } = measured.configuration.server;
    const { waiting, running, oldest, owned, epoch, mailbox, workers } = gauges;
    for (const gauge of [waiting, running, oldest, owned, epoch, mailbox, workers]) gauge.reset();
    const figures = measured.dispatchers.figures();
    for (const arch of architectures) owned.set({ arch }, Number(figures.has(arch)));
    for (const [arch, architectureFigures] of figures) {
      if (!architectureFigures) continue;
      epoch.set({ arch }, architectureFigures.epoch);
      mailbox.set({ arch }, architectureFigures.mailbox);
      for (const standing of WORKER_FIGURES)
        workers.set({ arch, standing }, architectureFigures.workers[standing]);
      for (const suite of suites)
        for (const band of BANDS)
          for (const gauge of [waiting, running, oldest]) gauge.set({ suite, arch, band }, 0);
      for (const { suite, band, ...queue } of architectureFigures.queues) {
        waiting.set({ suite, arch, band }, queue.waiting);
        running.set({ suite, arch, band }, queue.running);
        oldest.set({ suite, arch, band }, queue.oldestMs / 1000);
      }
    }
    const { max, ...states } = measured.vitals.poolUse();
    const pool = 'main';
    gauges.connectionsMax.set({ pool }, max);
    for (const [state, count] of Object.entries(states)) gauges.connections.set({ pool, state }, count);
  }

  private async readSlowNumbers(): Promise<void> {
    await Promise.all([
      this.attempt(
        'the database',
        () => this.ofDatabase.forEach((gauge) => gauge.remove()),
        () => this.readDatabase(),
      ),
      this.readStreams(),
      this.readStore(),
    ]);
  }

  private get ofDatabase(): Gauge[] {
    const { facts, oldestTransaction, backupAge, webhooksPending, webhooksOldest, webhooksDisabled } =
      this.gauges;
    return [facts, oldestTransaction, backupAge, webhooksPending, webhooksOldest, webhooksDisabled];
  }

  private async readDatabase(): Promise<void> {
    const { facts, oldestTransaction, backupAge, webhooksPending, webhooksOldest, webhooksDisabled } =
      this.gauges;
    const vitals = await this.measured.vitals.read();
    facts.set(vitals.factsUnpublished);
    oldestTransaction.set(vitals.oldestTransactionSeconds);
    webhooksPending.set(vitals.webhooksPending);
    webhooksOldest.set(vitals.webhooksOldestSeconds);
    webhooksDisabled.set(vitals.webhooksDisabled);
    if (vitals.backupAgeSeconds === null) backupAge.remove();
    else backupAge.set(vitals.backupAgeSeconds);
  }

  private readStreams(): Promise<void> {
    const { reportsPending, streamBytes, streamBytesMax, streamFullest } = this.gauges;
    const forget = (): void => {
      for (const gauge of [reportsPending, streamBytes, streamBytesMax, streamFullest]) gauge.reset();
    };
    return this.attempt('the streams', forget, async () => {
      const { fills, reportsPending: pending } = await this.measured.streams.read();
      reportsPending.reset();
      for (const [arch, count] of pending) reportsPending.set({ arch }, count);
      for (const { kind, bytes, bytesMax, fullest } of fills) {
        streamBytes.set({ kind }, bytes);
        streamBytesMax.set({ kind }, bytesMax);
        streamFullest.set({ kind }, fullest);
      }
    });
  }

  private readStore(): Promise<void> {
    const { storeBytes, storeFree } = this.gauges;
    return this.attempt(
      'the store',
      () => [storeBytes, storeFree].forEach((gauge) => gauge.remove()),
      async () => {
        const { store } = this.measured.configuration;
        if (store.kind !== 'folder') return;
        const { totalBytes, freeBytes } = await diskSpace(store.path);
        storeBytes.set(totalBytes);
        storeFree.set(freeBytes);
      },
    );
  }

  /** After a failed read the old numbers are removed. */
  private async attempt(what: string, forget: () => void, read: () => Promise<void>): Promise<void> {
    try {
      await withTimeLimit(read(), what, ANSWER_MS, this.clock);
      this.outages.onSuccess(what);
    } catch (error) {
      forget();
      this.outages.onFailure(what, `${what} could not be measured: ${String(error)}`);
    }
  }
}

function gaugesIn(registry: Registry) {
  const gauge = <T extends string = never>(name: string, help: string, labelNames: T[] = []) =>
    new Gauge<T>({ name: `proctor_${name}`, help, labelNames, registers: [registry] });
  const place: ('suite' | 'arch' | 'band')[] = ['suite', 'arch', 'band'];
  return {
    waiting: gauge('queue_waiting', 'Runs that wait.', place),
    running: gauge('queue_running', 'Runs that have a lease.', place),
    oldest: gauge(
      'queue_oldest_seconds',
      'How long the oldest run that waits has waited; 0: none waits.',
      place,
    ),
    owned: gauge('owned', 'Whether this scheduler owns the architecture.', ['arch']),
    epoch: gauge('epoch', 'Under which this scheduler owns the architecture; rises with each owner.', [
      'arch',
    ]),
    mailbox: gauge('mailbox', 'Messages that wait for the dispatcher.', ['arch']),
    workers: gauge('workers', 'Registered workers, by how they stand; silent: no message for a while.', [
      'arch',
      'standing',
    ]),
    connections: gauge('database_connections', 'Of this process: busy, idle; waiting: calls without one.', [
      'pool',
      'state',
    ]),
    connectionsMax: gauge('database_connections_max', 'Connections that this process may have.', ['pool']),
    facts: gauge('facts_unpublished', 'Facts that the bus does not have yet; counted up to 10,000.'),
    oldestTransaction: gauge('oldest_transaction_seconds', 'Age of the oldest transaction of the database.'),
    backupAge: gauge('backup_age_seconds', 'Since the moment of the newest backup; not there without one.'),
    webhooksPending: gauge('webhook_pending', 'Events that wait to be sent; counted up to 10,000.'),
    webhooksOldest: gauge(
      'webhook_oldest_seconds',
      'How long the oldest event has waited for a webhook that takes what it gets.',
    ),
    webhooksDisabled: gauge('webhook_disabled', 'Webhooks that the service has disabled.'),
    reportsPending: gauge('reports_pending', 'Reports of workers that wait, or are being handled.', ['arch']),
    streamBytes: gauge('stream_bytes', 'What the streams of a kind hold.', ['kind']),
    streamBytesMax: gauge('stream_bytes_max', 'What they may hold.', ['kind']),
    streamFullest: gauge(
      'stream_fullest_ratio',
      'How full the fullest stream of the kind is; 1: it is full.',
      ['kind'],
    ),
    storeBytes: gauge('store_bytes', 'Size of the file system of the store.'),
    storeFree: gauge('store_free_bytes', 'Free space of it.'),
  };
}
