import { randomUUID } from 'node:crypto';
import type { Fixture } from '../fixture';

/** A database role that may read the tables and nothing else. @returns the database's URL for it */
export async function createReader({ client, url }: Fixture): Promise<string> {
  const role = `reader_${randomUUID().replaceAll('-', '')}`;
  const password = randomUUID();
  await client.query(`create role ${role} login password '${password}'`);
  await client.query(`grant select on all tables in schema public to ${role}`);
  const readerUrl = new URL(url);
  Object.assign(readerUrl, { username: role, password });
  return readerUrl.href;
}

export async function dropReader({ client }: Fixture, readerUrl: string): Promise<void> {
  const role = new URL(readerUrl).username;
  await client.query(`drop owned by ${role}`);
  await client.query(`drop role ${role}`);
}
