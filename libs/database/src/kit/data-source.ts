import { Logger } from '@nestjs/common';
import type { PoolConfig } from 'pg';
import { type DataSourceOptions, DefaultNamingStrategy, type Table } from 'typeorm';
import { BoundedClient, type BoundedClientOptions, Plans } from './bounded-client';
import { serverOf } from './commit-search';
import type { DatabaseLimits } from './limits';
import { NUMERIC_TYPES } from './numeric-types';
import { ROWS } from '../rows';
import { peerSocket } from './peer-socket';
import { Servers } from './servers';
import { snakeCase } from './statement';

/** The address of all servers that a pool of these options connects to. */
export function addressOf(options: PostgresOptions): string | undefined {
  return (options.extra as Partial<PoolOptions> | undefined)?.servers?.text ?? options.url;
}

/**
 * The options of pg's pool. It uses a connection after the promise of `onConnect` has resolved, which pg's types do
 * not say.
 */
type PoolOptions = Omit<PoolConfig, 'onConnect' | 'Client'> &
  BoundedClientOptions & {
    Client: typeof BoundedClient;
    onConnect: (client: BoundedClient) => Promise<void>;
  };

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** Idle connections also notice a broken network, within twice this time. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** Columns are snake_case in PostgreSQL and camelCase in TypeScript; a primary key has the name that PostgreSQL gives it. */
class SnakeCaseNaming extends DefaultNamingStrategy {
  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pkey`;
  }

  override columnName(property: string, column: string | undefined, prefixes: string[]): string {
    return column ?? [...prefixes, property].map(snakeCase).join('_');
  }
}

/**
 * The options of a bounded pool whose statements and transactions have time limits; every process connects with them.
 */
export function dataSourceOptions(url: string, limits: DatabaseLimits): PostgresOptions {
  const logger = new Logger('Database');
  const servers = Servers.of(url);
  const pool: PoolOptions = {
    Client: BoundedClient,
    answerTimeoutMs: limits.answerTimeoutMs,
    plans: new Plans(),
    servers,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: NUMERIC_TYPES,
    ...peerSocket(servers.first),
    onConnect: (client) => prepare(client, limits),
  };
  return {
    type: 'postgres',
    // TypeORM knows only this server; see Servers for the others.
    url: servers.first,
    applicationName: 'proctor',
    entities: ROWS,
    namingStrategy: new SnakeCaseNaming(),
    synchronize: false,
    poolSize: limits.connectionsMax,
    connectTimeoutMS: limits.connectTimeoutMs,
    // An idle connection breaks when PostgreSQL restarts; the pool removes it and opens another at the next
    // call.
    poolErrorHandler: (error: Error) => logger.warn(`a connection was lost: ${error.message}`),
    extra: pool,
  };
}

/** Sets the time limits after connecting, not as start-up parameters, because connection poolers refuse those. */
async function prepare(client: BoundedClient, limits: DatabaseLimits): Promise<void> {
  await client.query(
    `select set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $2, false)`,
    [String(limits.statementTimeoutMs), String(limits.idleInTransactionTimeoutMs)],
  );
  await client.query(
    `select set_config('transaction_timeout', $1, false) where current_setting('server_version_num')::int >= 170000`,
    [String(limits.transactionTimeoutMs)],
  );
  client.server = await serverOf(client);
}
