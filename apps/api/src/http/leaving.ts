import type { Server } from 'node:http';
import type { Clock } from '@proctor/clock';

/**
 * Announces the end of an api process before it comes: a proxy that sees in time that the process is not ready stops
 * sending requests to it.
 */
export class Leaving {
  private hasBegun = false;

  /** @param waits functions that end all present and later waits of clients */
  constructor(
    private readonly waits: (() => void)[],
    private readonly clock: Clock,
  ) {}

  get isBegun(): boolean {
    return this.hasBegun;
  }

  /**
   * Answers all clients that wait, and asks clients to make each further connection elsewhere.
   * Resolves after `noticeMs`, in which proxies can see in the health of the process that it is not ready.
   */
  async start(server: Server, noticeMs: number): Promise<void> {
    this.hasBegun = true;
    server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
    // The server closes what is idle when it ends, and waits for what becomes idle later.
    server.keepAliveTimeout = 1;
    for (const end of this.waits) end();
    if (noticeMs > 0) await new Promise<void>((resolve) => this.clock.after(noticeMs, resolve));
  }
}
