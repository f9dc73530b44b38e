import { DataSource } from 'typeorm';
import { OrdersOfRuns1764560000000 } from '@libs/database/src/schema/migrations/orders-of-runs';
import { RunIds1764550000000 } from '@libs/database/src/schema/migrations/run-ids';

/** Gives a migrated database with few rows the ids of 32 bits that runs had once; to migrate it widens them again. */
export async function narrowIds(url: string): Promise<void> {
  const source = await new DataSource({ type: 'postgres', url }).initialize();
  const runner = source.createQueryRunner();
  try {
    for (const Migration of [OrdersOfRuns1764560000000, RunIds1764550000000]) {
      await new Migration().down(runner);
      await runner.query('delete from migrations where name = $1', [Migration.name]);
    }
  } finally {
    await runner.release();
    await source.destroy();
  }
}
