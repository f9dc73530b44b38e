import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';

const STEP_EVERY_MS = 250;

/** The database's clock, which steps: the rows have its times. */
export class SteppingClock {
  private constructor(private readonly client: Client) {}

  static async of(client: Client): Promise<SteppingClock> {
    await client.query(`create table steps (seconds float8 not null)`);
    await client.query('insert into steps values (0)');
    await client.query('grant select on steps to public');
    await client.query(`
      create or replace function run_clock() returns timestamptz language sql volatile
        as 'select clock_timestamp() + (select seconds from steps) * interval ''1 second'''`);
    return new SteppingClock(client);
  }

  /** @param seconds how far it is from PostgreSQL's */
  async stepTo(seconds: number): Promise<void> {
    await this.client.query('update steps set seconds = $1', [seconds]);
  }

  /** One step after the other. */
  async walk(steps: number[]): Promise<void> {
    for (const seconds of steps) {
      await this.stepTo(seconds);
      await delay(STEP_EVERY_MS);
    }
  }
}
