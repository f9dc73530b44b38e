import { migrate } from '@proctor/database';
import { createHash, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { MIGRATIONS } from '@libs/database/src/schema/migrations';
import { NUMERIC_TYPES } from '@libs/database/src/kit/numeric-types';

export interface TestDatabase {
  /** The address for `openDatabase` and for the apps. */
  url: string;
  /** Ends whatever is still connected. */
  drop: () => Promise<void>;
}

/** Held while the template is made, so that the first of several test processes makes it. */
const TEMPLATE_LOCK = 7_263_001;

/** A new database with the present schema: a copy of a template that is migrated once per server. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createFrom(migratedTemplate);
}

/** A new database without a schema. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createFrom(() => Promise.resolve('template0'));
}

async function createFrom(template: (server: Client) => Promise<string>): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(async (server) => {
    await server.query(`create database ${name} template ${await template(server)}`);
  });
  return {
    url: urlOf(name),
    drop: () => onServer(async (server) => void (await server.query(`drop database ${name} with (force)`))),
  };
}

/** The address of a deployment with two servers; the first does not answer. */
export function besideDead(url: string): string {
  const { host } = new URL(url);
  return url.replace(host, `127.0.0.1:1,${host}`);
}

/** A connection of its own, for what no store does: locks, other transactions, looking at tables. */
export async function connectTo(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, types: NUMERIC_TYPES });
  // Tests that end connections on purpose see it in their statements.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function onServer<T>(work: (server: Client) => Promise<T>): Promise<T> {
  const server = await connectTo(serverUrl());
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}

async function migratedTemplate(server: Client): Promise<string> {
  const names = MIGRATIONS.map(({ name }) => name).join();
  const schema = createHash('sha256').update(names).digest('hex').slice(0, 12);
  const name = `template_${schema}`;
  await server.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const { rowCount } = await server.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      await server.query(`create database ${name}_new`);
      await migrate(urlOf(`${name}_new`));
      await server.query(`alter database ${name}_new rename to ${name}`);
    }
  } finally {
    await server.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
  return name;
}

function serverUrl(): string {
  const url = process.env.PROCTOR_TEST_DATABASE_URL;
  if (!url)
    throw new Error('PROCTOR_TEST_DATABASE_URL is not set: the global setup starts the server and sets it');
  return url;
}

function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}
