import type { NatsConnection } from '@nats-io/transport-node';
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { setTimeout as delay } from 'node:timers/promises';
import type { Credentials } from './credentials';
import { inboxPrefix } from './accounts';
import { connectionOptions } from './connection-options';
import { firstConnection, isRefusedUser, pauseMsAfter } from './first-connection';
import type { BusLimits } from './limits';
import { Refusals } from './refusals';
import {
  prepareReportStream,
  prepareStreams,
  prepareWorkerStreams,
  explainRefusal,
  isRefusal,
} from './streams';

export const JETSTREAM_TIMEOUT_MS = 10_000;
const STREAMS_RETRY_MS = 500;
const STREAMS_REFUSALS_MAX = 4;
const DRAIN_TIMEOUT_MS = 5000;

/**
 * One connection, restored each time it is lost. The scheduler's link has all streams in place whenever it counts as
 * connected; no other user may create them.
 */
export class NatsLink {
  private readonly logger = new Logger('Bus');
  private readonly listeners = new Set<() => void>();
  private restore = (): Promise<void> => Promise.resolve();
  private readonly host: string;
  private connected = false;
  private disconnects = 0;
  /**
   * The last error of the server since the connection broke: each new attempt gets the same one, and it is logged once.
   */
  private loggedError = '';
  private readonly end = new AbortController();
  private readonly refusals: Refusals;

  private constructor(
    readonly nc: NatsConnection,
    readonly js: JetStreamClient,
    readonly jsm: JetStreamManager,
    private readonly limits: BusLimits,
    private readonly options: { user: string; makesStreams: boolean },
  ) {
    this.host = nc.getServer();
    this.refusals = new Refusals(options.user, this.host, this.logger, systemClock);
  }

  /**
   * Waits while the server or JetStream cannot be reached. @throws Error if the credentials or the streams are refused
   */
  static async open(
    credentials: Credentials,
    clientName: string,
    limits: BusLimits,
    { makesStreams, waitsForAdmission }: { makesStreams: boolean; waitsForAdmission: boolean },
  ): Promise<NatsLink> {
    const nc = await firstConnection(connectionOptions(credentials, clientName), waitsForAdmission);
    const js = jetstream(nc, { timeout: JETSTREAM_TIMEOUT_MS });
    const jsm = await jetstreamManager(nc, { timeout: JETSTREAM_TIMEOUT_MS, checkAPI: false });
    const link = new NatsLink(nc, js, jsm, limits, { user: credentials.name, makesStreams });
    void link.watch();
    try {
      await link.prepareStreams();
    } catch (error) {
      link.end.abort();
      await nc.close();
      throw new Error(explainRefusal(error, limits), { cause: error });
    }
    link.connected = true;
    return link;
  }

  /** The prefix of all subjects on which its user may receive answers. */
  get inboxPrefix(): string {
    return inboxPrefix(this.options.user);
  }

  isConnected(): boolean {
    return this.connected;
  }

  /** `restore` runs after each reconnect, before the link counts as connected again. */
  onRestore(restore: () => Promise<void>): void {
    this.restore = restore;
  }

  /** @throws Error if JetStream refuses or does not answer */
  async prepareReportStream(arch: string, worker: string): Promise<void> {
    await this.explainErrors(() => prepareReportStream(this.jsm, arch, worker, this.limits));
  }

  /** @throws Error if JetStream refuses or does not answer */
  async prepareWorkerStreams(worker: string): Promise<void> {
    await this.explainErrors(() => prepareWorkerStreams(this.jsm, worker, this.limits));
  }

  onReconnect(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * `listener` is called once the server has refused its user for ten seconds. The returned function removes the
   * listener.
   */
  onRefused(listener: () => void): () => void {
    return this.refusals.onFinal(listener);
  }

  async close(): Promise<void> {
    if (this.closing) return;
    this.end.abort();
    const wasConnected = this.connected;
    this.connected = false;
    if (wasConnected) {
      const late = new AbortController();
      const drained = this.nc.drain().catch((error: unknown) => this.logger.debug(`drain: ${String(error)}`));
      await Promise.race([
        drained,
        delay(DRAIN_TIMEOUT_MS, undefined, { signal: late.signal }).catch(() => undefined),
      ]);
      late.abort();
    }
    await this.nc.close();
  }

  private get closing(): boolean {
    return this.end.signal.aborted;
  }

  private async explainErrors(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw isRefusal(error) ? new Error(explainRefusal(error, this.limits), { cause: error }) : error;
    }
  }

  private async watch(): Promise<void> {
    for await (const status of this.nc.status()) {
      if (status.type === 'disconnect') this.handleDisconnect();
      else if (status.type === 'reconnect') void this.handleReconnect();
      else if (status.type === 'error') this.handleError(status.error);
    }
    const error = await this.nc.closed();
    this.connected = false;
    if (!this.closing)
      this.logger.error(`the connection to NATS at ${this.host} is closed for good: ${String(error)}`);
  }

  private handleError(error: Error): void {
    if (isRefusedUser(error)) return this.refusals.onRefused();
    if (this.connected || error.message !== this.loggedError) this.logger.error(`NATS: ${error.message}`);
    this.loggedError = error.message;
  }

  /** Also called after each attempt to reconnect that failed. */
  private handleDisconnect(): void {
    const wasConnected = this.connected;
    this.connected = false;
    this.disconnects++;
    if (wasConnected && !this.closing)
      this.logger.warn(`disconnected from NATS at ${this.host}, connecting again`);
  }

  private async handleReconnect(): Promise<void> {
    const { disconnects } = this;
    this.refusals.onAdmitted();
    this.loggedError = '';
    try {
      await this.prepareStreams();
    } catch (error) {
      // What exists still works; a full or misconfigured server is for its operator to see.
      this.logger.error(`streams: ${explainRefusal(error, this.limits)}`);
    }
    if (this.closing || this.nc.isClosed() || disconnects !== this.disconnects) return;
    this.connected = true;
    this.logger.log(`connected to NATS at ${this.host} again`);
    for (const listener of this.listeners) listener();
  }

  private async prepareStreams(): Promise<void> {
    let [refusals, failures] = [0, 0];
    for (let isLogged = false; !this.closing && !this.nc.isClosed(); isLogged = true) {
      try {
        if (this.options.makesStreams) await prepareStreams(this.jsm, this.limits);
        return await this.restore();
      } catch (error) {
        // One refusal may only mean that another process creates the same streams at this moment.
        if (isRefusal(error) && ++refusals === STREAMS_REFUSALS_MAX) throw error;
        if (!isLogged) this.logger.warn(`the streams at ${this.host} are not ready yet: ${String(error)}`);
        const pauseMs = pauseMsAfter(++failures, STREAMS_RETRY_MS);
        await delay(pauseMs, undefined, { signal: this.end.signal }).catch(() => undefined);
      }
    }
  }
}
