import type { NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { REQUEST_PATTERNS, type RequestKind } from '@proctor/contracts';
import { growingPauseMs, scatterPause } from '@proctor/pauses';
import { Complaints } from './complaints';
import { connectionOptions, RECONNECT_WAIT_MS } from './connection-options';
import type { Credentials } from './credentials';
import { firstConnection } from './first-connection';

/**
 * The first reconnect follows at once, for a connection that the server dropped because it was read too slowly. The
 * pause grows while the server cannot be reached.
 */
const RECONNECT_FIRST_MS = 20;

/** @param tries since the last connection */
export function reconnectPauseMs(tries: number, random: number): number {
  return scatterPause(growingPauseMs(RECONNECT_FIRST_MS, RECONNECT_WAIT_MS, tries), random);
}

interface Connection {
  nc: NatsConnection;
  /** See reconnectPauseMs. */
  tries: { count: number };
}

type Connections = Record<RequestKind, Connection>;

/**
 * The connections of a scheduler for the requests of workers, one for each kind. nats-server has a queue for each
 * connection and drops the connection when 64 MiB wait in it. So endless lease requests delay no renewal, and neither
 * kind breaks the connection that everything else uses.
 */
export class RequestLinks {
  private readonly complaints = new Complaints(new Logger('Bus'), systemClock);
  private readonly connected = new Set<RequestKind>();
  private closing = false;

  private constructor(private readonly connections: Connections) {
    for (const [kind, connection] of this.entries()) {
      this.connected.add(kind);
      void this.watch(kind, connection);
    }
  }

  /**
   * Opens the connections, and waits while the server cannot be reached. @throws Error if the server refuses the
   * credentials
   */
  static async open(credentials: Credentials, clientName: string): Promise<RequestLinks> {
    const kinds = Object.keys(REQUEST_PATTERNS) as RequestKind[];
    const connections = await Promise.all(
      kinds.map(async (kind) => {
        const tries = { count: 0 };
        const options = {
          ...connectionOptions(credentials, `${clientName} (${kind})`),
          reconnectDelayHandler: () => reconnectPauseMs((tries.count += 1), Math.random()),
        };
        return [kind, { nc: await firstConnection(options, false), tries }] as const;
      }),
    );
    return new RequestLinks(Object.fromEntries(connections) as Connections);
  }

  connectionFor(kind: RequestKind): NatsConnection {
    return this.connections[kind].nc;
  }

  isConnected(): boolean {
    return this.connected.size === this.entries().length;
  }

  async flush(): Promise<void> {
    await Promise.all(this.entries().map(([, { nc }]) => nc.flush()));
  }

  async close(): Promise<void> {
    this.closing = true;
    await Promise.all(this.entries().map(([, { nc }]) => nc.close()));
  }

  private entries(): [RequestKind, Connection][] {
    return Object.entries(this.connections) as [RequestKind, Connection][];
  }

  private async watch(kind: RequestKind, { nc, tries }: Connection): Promise<void> {
    for await (const { type } of nc.status()) {
      if (type === 'reconnect') {
        this.connected.add(kind);
        tries.count = 0;
      }
      if (type !== 'disconnect' || !this.connected.delete(kind) || this.closing) continue;
      this.complaints.about(kind, `the connection for requests (${kind}) was lost and is made again`);
    }
  }
}
