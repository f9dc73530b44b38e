import { Inject, Injectable } from '@nestjs/common';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack } from '../http/problem';

const COME_BACK_MS = 5_000;

/** Bounds the connections on which events are followed: each is held open, of a process, a key and an address. */
@Injectable()
export class EventPlaces {
  private readonly taken = new Map<string, number>();

  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /**
   * @param address of the client's network
   * @returns gives the place back
   * @throws Problem 503 when the process has too many; 429 when the key or the address has
   */
  enter(keyId: number, address: string): () => void {
    const { connectionsMax, connectionsPerKeyMax, connectionsPerAddressMax } =
      this.configuration.server.events;
    const places = [
      { name: 'all', max: connectionsMax, status: 503, whose: 'all clients together' },
      { name: `key ${keyId}`, max: connectionsPerKeyMax, status: 429, whose: 'this key' },
      { name: `address ${address}`, max: connectionsPerAddressMax, status: 429, whose: 'this address' },
    ] as const;
    for (const { name, max, status, whose } of places) {
      if ((this.taken.get(name) ?? 0) < max) continue;
      throw comeBack(status, `There are ${max} connections of ${whose} that follow events.`, COME_BACK_MS);
    }
    for (const { name } of places) this.taken.set(name, (this.taken.get(name) ?? 0) + 1);
    return () => {
      for (const { name } of places) {
        const left = (this.taken.get(name) ?? 0) - 1;
        if (left > 0) this.taken.set(name, left);
        else this.taken.delete(name);
      }
    };
  }
}
