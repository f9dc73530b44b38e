import { execFile } from 'node:child_process';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EmbeddedPostgres } from '@proctor/embedded';
import { connectTo } from './database';

interface Server {
  /** The folder that EmbeddedPostgres was given. */
  folder: string;
  server: EmbeddedPostgres;
}

/**
 * Starts a server as a copy of a primary, which it follows from then on.
 * @param name what the primary calls it, as in `synchronous_standby_names`
 */
export async function startReplica(primary: Server, replica: Server, name = 'walreceiver'): Promise<void> {
  const client = await connectTo(primary.server.url);
  await client.query(`select pg_backup_start('replica', true)`);
  await promisify(execFile)('cp', ['-a', primary.folder, replica.folder]);
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await client.end();
  const data = join(replica.folder, 'data');
  await rm(join(data, 'postmaster.pid'));
  const files = {
    backup_label: rows[0]!.labelfile,
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = '${primary.server.url}?application_name=${name}'\n`,
  };
  for (const [file, text] of Object.entries(files)) {
    await writeFile(join(data, file), text);
    // The server is another user's when the tests are root's.
    await chmod(join(data, file), 0o666);
  }
  await replica.server.start();
}
