import type { NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { REQUEST_PATTERNS, type RequestKind } from '@proctor/contracts';
import { Complaints } from './complaints';
import { connectionOptions } from './connection-options';
import type { Credentials } from './credentials';
import { firstConnection } from './first-connection';

/** It is made again at once: the server has dropped it because it was read too slowly. */
const RECONNECT = { reconnectTimeWait: 20, reconnectJitter: 20, reconnectJitterTLS: 20 };

type Connections = Record<RequestKind, NatsConnection>;

/**
 * The connections of a scheduler for what workers ask, one for each kind. nats-server has a queue for each connection and drops
 * the connection when 64 MiB wait in it. So asks without end delay no renewal, and neither of them breaks the connection
 * that everything else uses.
 */
export class RequestLinks {
  private readonly complaints = new Complaints(new Logger('Bus'), systemClock);
  private readonly connected = new Set<RequestKind>();
  private closing = false;

  private constructor(private readonly connections: Connections) {
    for (const [kind, nc] of this.each()) {
      this.connected.add(kind);
      void this.watch(kind, nc);
    }
  }

  /** Waits while the server is not there. @throws when it refuses the credentials */
  static async open(credentials: Credentials, clientName: string): Promise<RequestLinks> {
    const kinds = Object.keys(REQUEST_PATTERNS) as RequestKind[];
    const connections = await Promise.all(
      kinds.map(async (kind) => {
        const options = connectionOptions(credentials, `${clientName} (${kind})`);
        return [kind, await firstConnection({ ...options, ...RECONNECT }, false)] as const;
      }),
    );
    return new RequestLinks(Object.fromEntries(connections) as Connections);
  }

  of(kind: RequestKind): NatsConnection {
    return this.connections[kind];
  }

  isConnected(): boolean {
    return this.connected.size === this.each().length;
  }

  async flush(): Promise<void> {
    await Promise.all(this.each().map(([, nc]) => nc.flush()));
  }

  async close(): Promise<void> {
    this.closing = true;
    await Promise.all(this.each().map(([, nc]) => nc.close()));
  }

  private each(): [RequestKind, NatsConnection][] {
    return Object.entries(this.connections) as [RequestKind, NatsConnection][];
  }

  private async watch(kind: RequestKind, nc: NatsConnection): Promise<void> {
    for await (const { type } of nc.status()) {
      if (type === 'reconnect') this.connected.add(kind);
      if (type !== 'disconnect' || !this.connected.delete(kind) || this.closing) continue;
      this.complaints.about(kind, `the connection for requests (${kind}) was lost and is made again`);
    }
  }
}
