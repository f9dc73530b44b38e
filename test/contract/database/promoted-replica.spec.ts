import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrate, openDatabase } from '@proctor/database';
import { StaleEpoch } from '@proctor/dispatch';
import { EmbeddedPostgres } from '@proctor/embedded';
import { connectTo } from '../../support/database';
import { silenceLog } from '../../support/silent-log';
import { ARCH, grant, request } from '../journal.fixture';

const TTL_MS = 600_000;
const OWNER = 'scheduler-1';

silenceLog();

let folder: string;
let primary: EmbeddedPostgres;
let replica: EmbeddedPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-replica-'));
  await chmod(folder, 0o711);
  const passwordFile = join(folder, 'password');
  const server = (name: string) => new EmbeddedPostgres({ folder: join(folder, name), passwordFile });
  [primary, replica] = [server('primary'), server('replica')];
  await primary.start();
  await migrate(primary.url);
});
afterAll(async () => {
  await primary.stop();
  await replica.stop();
  await rm(folder, { recursive: true });
});

/** The first statement's only value, on a connection of its own. */
async function ask(server: EmbeddedPostgres, sql: string): Promise<unknown> {
  const client = await connectTo(server.url);
  const { rows } = await client.query<{ value: unknown }>(`select (${sql}) as value`);
  await client.end();
  return rows[0]?.value;
}

/** Begins as a copy of the primary and follows it. */
async function startReplica(): Promise<void> {
  const client = await connectTo(primary.url);
  await client.query(`select pg_backup_start('replica', true)`);
  await promisify(execFile)('cp', ['-a', join(folder, 'primary'), join(folder, 'replica')]);
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await client.end();
  const data = join(folder, 'replica', 'data');
  await rm(join(data, 'postmaster.pid'));
  const files = {
    backup_label: rows[0]!.labelfile,
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = '${primary.url}'\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(data, name), text);
    // The server is another user's when the tests are root's.
    await chmod(join(data, name), 0o666);
  }
  await replica.start();
}

/** It has heard of everything up to now, and hears of nothing more. */
async function leaveBehind(): Promise<void> {
  const sent = await ask(primary, 'pg_current_wal_flush_lsn()::text');
  while (!(await ask(replica, `pg_last_wal_replay_lsn() >= '${String(sent)}'`)));
  const client = await connectTo(replica.url);
  await client.query(`alter system set primary_conninfo = ''`);
  await client.query('select pg_reload_conf()');
  await client.end();
  while (await ask(replica, 'select pid from pg_stat_wal_receiver'));
}

it('an ownership does not go on in a replica that lagged, however soon it takes over', async () => {
  const before = await openDatabase(primary.url);
  const { userId } = await before.users.add('ada', { isAdmin: false });
  const { id: keyId } = await before.apiKeys.create('ada', 'test');
  const [runId] = await before.submissions.submit([request()], { userId, keyId });
  const owned = await before.ownershipRegister.claim(ARCH, OWNER, TTL_MS);
  await startReplica();
  await leaveBehind();
  // The replica never hears of this grant.
  await before.journal.commit(ARCH, owned!.epoch, [grant(runId!, 1)]);
  await before.close();
  await primary.stop();
  expect(await ask(replica, 'pg_promote()')).toBe(true);
  const after = await openDatabase(replica.url);
  expect(await after.results.find(runId!)).toMatchObject({ state: 'queued' });
  await expect(after.journal.commit(ARCH, owned!.epoch, [grant(runId!, 1)])).rejects.toThrow(StaleEpoch);
  const taken = await after.ownershipRegister.claim(ARCH, OWNER, TTL_MS);
  expect(taken!.epoch).toBeGreaterThan(owned!.epoch);
  await after.journal.commit(ARCH, taken!.epoch, [grant(runId!, 1)]);
  await after.close();
});
