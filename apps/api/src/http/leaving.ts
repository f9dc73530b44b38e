import type { Server } from 'node:http';
import type { Clock } from '@proctor/clock';

/** Announces the end of an api process in advance, so that a proxy stops sending requests to it. */
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
   * Answers all waiting clients, and makes clients open further connections elsewhere. Resolves after `noticeMs`;
   * until then proxies see in the health of the process that it is not ready.
   */
  async start(server: Server, noticeMs: number): Promise<void> {
    this.hasBegun = true;
    server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
    // At its end the server closes idle connections, and waits for those that become idle later.
    server.keepAliveTimeout = 1;
    for (const end of this.waits) end();
    if (noticeMs > 0) await new Promise<void>((resolve) => this.clock.after(noticeMs, resolve));
  }
}
