import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { networkOf } from './network-of';
import { comeBack } from './problem';
import type { ContextRequest } from './request-context';

const COME_BACK_MS = 5_000;

/** How many connections may be held open at a time for what their clients follow. */
export interface Bounds {
  connectionsMax: number;
  connectionsPerAddressMax: number;
}

/** Connections that share a bound. */
interface Place {
  name: string;
  max: number;
  status: 429 | 503;
  whose: string;
}

/** Bounds the connections that are held open: those of the process, and those of a client's network, so that none takes all. */
@Injectable()
export class HeldConnections {
  private readonly counts = new Map<string, number>();
  private readonly open = new Map<Response, ContextRequest>();

  /**
   * Counts the connection until it is closed.
   * @param what its client follows
   * @param key of the client, with a bound of its own
   * @throws Problem 503 when the process has too many; 429 when the network or the key has
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

  /** The connections that are held open now, each with its request. */
  all(): [Response, ContextRequest][] {
    return [...this.open];
  }

  private leave(name: string): void {
    const rest = (this.counts.get(name) ?? 0) - 1;
    if (rest > 0) this.counts.set(name, rest);
    else this.counts.delete(name);
  }
}

/** Aborts when the client is gone. */
export function closing(response: Response): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller.signal;
}
