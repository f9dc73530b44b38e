import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { Body, Controller, Get, Headers, Module, Post, UnauthorizedException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Pool } from 'pg';
import { INSERT_ONE } from './table';

/** Its settings, from its environment. */
export interface BareApiPlan {
  databaseUrl: string;
  port: number;
}

const plan = JSON.parse(process.env['PROCTOR_BENCH_BARE_API'] ?? '') as BareApiPlan;
const pool = new Pool({ connectionString: plan.databaseUrl, max: 10 });

interface Key {
  keyId: number;
  userId: number;
}

/** The least that an endpoint of Nest on pg can do: one indexed query, and one row inserted. */
@Controller()
class BareController {
  @Get('key')
  async key(@Headers('auth-key') key: string): Promise<Key> {
    const { rows } = await pool.query<Key>({
      name: 'key',
      text: 'select key_id as "keyId", user_id as "userId" from api_keys where key_hash = $1 and revoked_at is null',
      values: [createHash('sha256').update(key).digest('hex')],
    });
    if (!rows[0]) throw new UnauthorizedException();
    return rows[0];
  }

  @Post('runs')
  async insert(@Headers('auth-key') key: string, @Body() { package: name }: { package: string }) {
    const { keyId, userId } = await this.key(key);
    const { rows } = await pool.query<{ runId: number }>({
      ...{ name: 'insert', text: INSERT_ONE, values: [name, userId, keyId] },
    });
    return rows[0];
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(BareModule, { logger: false });
  await app.listen(plan.port, '127.0.0.1');
  process.on('disconnect', () => process.exit(0));
  process.send?.({ ready: true });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
