import type { Server } from 'node:http';
import type { Clock } from '@proctor/clock';

/**
 * The end of an api process, which is announced before it comes: a proxy that has seen in time that the
 * process is not ready sends no request into its end.
 */
export class Leaving {
  private hasBegun = false;

  /** @param waits end what clients wait for here, and what they wait for from then on */
  constructor(
    private readonly waits: (() => void)[],
    private readonly clock: Clock,
  ) {}

  get isBegun(): boolean {
    return this.hasBegun;
  }

  /**
   * Answers all clients that wait, and asks clients to make each further connection elsewhere.
   * @returns once clients had `noticeMs` to read the health
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
