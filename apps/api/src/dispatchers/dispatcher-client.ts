import { Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { NoAnswer } from '@proctor/bus';
import type { Bus } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import type { Grant, LogChunk } from '@proctor/contracts';
import { growingPauseMs } from '@proctor/pauses';

const CONNECT_AGAIN_MS = 5_000;
const CONNECT_AGAIN_MAX_MS = 60_000;

/**
 * The api's connection to the dispatchers. It is opened in the background: requests are accepted and results served while
 * the bus is away, also when the process starts then.
 */
export class DispatcherClient implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('DispatcherClient');
  private bus: Bus | null = null;
  private readonly listeners: { subject: string; received: () => void }[] = [];
  private isClosed = false;
  private cancelRetry = (): void => undefined;
  /**
   * Failed attempts to connect, in a row: usually the bus refused the credentials. Without a server, connecting
   * waits.
   */
  private refusals = 0;

  constructor(
    private readonly connect: () => Promise<Bus>,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    void this.open();
  }

  /** Calls `received` for each signal from now on, while there is a connection. */
  listen(subject: string, received: () => void): void {
    this.listeners.push({ subject, received });
    this.bus?.subscribe(subject, received);
  }

  /** Sends a signal; it is lost if there is no connection. Never throws. */
  signal(subject: string, body: object): void {
    this.bus?.signal(subject, body);
  }

  /** @throws NoAnswer if there is no connection, or no answer in time @throws RemoteError if the handler failed */
  async request<T>(subject: string, body: object, timeoutMs: number): Promise<T> {
    return this.connectedBus().request<T>(subject, body, timeoutMs);
  }

  /** See Bus.readLog. @throws NoAnswer while there is no connection */
  followLog(worker: string, grant: Grant, signal: AbortSignal): AsyncIterable<LogChunk> {
    return this.connectedBus().readLog(worker, grant, 0, signal);
  }

  /** See Bus.logSoFar. @throws NoAnswer while there is no connection */
  logSoFar(worker: string, grant: Grant, signal: AbortSignal): AsyncIterable<LogChunk> {
    return this.connectedBus().readLogSoFar(worker, grant, signal);
  }

  isConnected(): boolean {
    return this.bus?.isConnected() ?? false;
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    this.cancelRetry();
    await this.bus?.close();
  }

  private async open(): Promise<void> {
    try {
      const bus = await this.connect();
      if (this.isClosed) await bus.close();
      else this.onConnected(bus);
    } catch (error) {
      const pauseMs = growingPauseMs(CONNECT_AGAIN_MS, CONNECT_AGAIN_MAX_MS, ++this.refusals);
      this.logger.error(`no connection to the bus, the next try is in ${pauseMs / 1000} s: ${String(error)}`);
      if (!this.isClosed) this.cancelRetry = this.clock.after(pauseMs, () => void this.open());
    }
  }

  private connectedBus(): Bus {
    if (!this.bus) throw new NoAnswer('there is no connection to the bus yet');
    return this.bus;
  }

  private onConnected(bus: Bus): void {
    this.bus = bus;
    for (const { subject, received } of this.listeners) bus.subscribe(subject, received);
  }
}
