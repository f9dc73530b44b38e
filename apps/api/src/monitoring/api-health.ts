import { Injectable, Logger } from '@nestjs/common';
import { ApiKeys, DatabaseUnavailable, KeyRefused } from '@proctor/database';
import { VERSION } from '@proctor/process';
import { DispatcherClient } from '../dispatchers/dispatcher-client';
import { Leaving } from '../http/leaving';

/** The services that an api process reaches. */
export interface Health {
  version: string;
  /** Whether it should get requests: it reaches all services, and does not stop soon. */
  ready: boolean;
  database: boolean;
  /** NATS. Without it requests are accepted all the same, but their tests start later. */
  bus: boolean;
  /** Why it is not ready; empty if it is. */
  reasons: string[];
}

/** Checked at each call. */
@Injectable()
export class ApiHealth {
  private readonly logger = new Logger('Health');

  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly dispatchers: DispatcherClient,
    private readonly leaving: Leaving,
  ) {}

  /** The database is reachable if it finds the owner of the key, or that there is none. */
  async of(key: string): Promise<{ health: Health; isAdmin: boolean }> {
    try {
      const requestor = await this.apiKeys.authenticate(key);
      return { health: this.health(true), isAdmin: requestor?.isAdmin ?? false };
    } catch (error) {
      if (error instanceof KeyRefused) return { health: this.health(true), isAdmin: false };
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.logger.warn(error.message);
      return { health: this.health(false), isAdmin: false };
    }
  }

  async report(): Promise<Health> {
    return (await this.of('')).health;
  }

  private health(database: boolean): Health {
    const bus = this.dispatchers.isConnected();
    const reasons = [
      ...(database ? [] : ['the database does not answer']),
      ...(bus ? [] : ['there is no connection to NATS']),
      ...(this.leaving.isBegun ? ['this process is about to end'] : []),
    ];
    return { version: VERSION, ready: reasons.length === 0, database, bus, reasons };
  }
}
