import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { networkOf } from './network-of';
import { comeBack } from './problem';
import type { ContextRequest } from './request-context';

const COME_BACK_MS = 5_000;

/** How many connections may be open at the same time for clients that follow something. */
export interface Bounds {
  connectionsMax: number;
  connectionsPerAddressMax: number;
}

/** Connections that share a limit. */
interface Place {
  name: string;
  max: number;
  status: 429 | 503;
  whose: string;
}

/** Limits the open connections of the process and of each network, so that none uses all. */
@Injectable()
export class HeldConnections {
  private readonly counts = new Map<string, number>();
  private readonly open = new Map<Response, ContextRequest>();

  /**
   * Counts the connection until it is closed.
   * @param what the thing that its client follows, for the message
   * @param key of the client, which has its own limit
   * @throws Problem 503 if the process has too many connections; 429 if the network or the key has
   */
  add(
    request: ContextRequest,
    response: Response,
    what: string,
    { connectionsMax, connectionsPerAddressMax }: Bounds,
    key?: { keyId: number; max: number },
  ): void {
    const network = networkOf(request.ip ?? '');
    const places: Place[] = [
      { name: what, max: connectionsMax, status: 503, whose: 'all clients together' },
      { name: `${what} ${network}`, max: connectionsPerAddressMax, status: 429, whose: 'this address' },
    ];
    if (key) places.push({ name: `${what} key ${key.keyId}`, max: key.max, status: 429, whose: 'this key' });
    for (const { name, max, status, whose } of places) {
      if ((this.counts.get(name) ?? 0) < max) continue;
      throw comeBack(status, `There are ${max} connections of ${whose} that follow ${what}.`, COME_BACK_MS);
    }
    for (const { name } of places) this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    this.open.set(response, request);
    const leave = (): void => {
      this.open.delete(response);
      places.forEach(({ name }) => this.leave(name));
    };
    if (response.closed) leave();
    else response.once('close', leave);
  }

  /** The open connections, each with its request. */
  all(): [Response, ContextRequest][] {
    return [...this.open];
  }

  private leave(name: string): void {
    const rest = (this.counts.get(name) ?? 0) - 1;
    if (rest > 0) this.counts.set(name, rest);
    else this.counts.delete(name);
  }
}

/** Aborts when the client has gone. */
export function closing(response: Response): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller.signal;
}
