import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseUnavailable, migrate, openDatabase } from '@proctor/database';
import { StaleEpoch } from '@proctor/dispatch';
import { EmbeddedPostgres } from '@proctor/embedded';
import { connectTo } from '@test/support/database';
import { startReplica } from '@test/support/replica';
import { silenceLog } from '@test/support/silent-log';
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

/** It has received everything up to now, and receives nothing from now on. */
async function leaveBehind(): Promise<void> {
  const position = await ask(primary, 'pg_current_wal_flush_lsn()::text');
  while (!(await ask(replica, `pg_last_wal_replay_lsn() >= '${String(position)}'`)));
  const client = await connectTo(replica.url);
  await client.query(`alter system set primary_conninfo = ''`);
  await client.query('select pg_reload_conf()');
  await client.end();
  while (await ask(replica, 'select pid from pg_stat_wal_receiver'));
}

/** The replica first: it is no primary yet. */
function urlOfBoth(): string {
  const url = new URL(primary.url);
  return primary.url.replace(url.host, `${new URL(replica.url).host},${url.host}`);
}

it('an ownership does not go on in a replica that lagged, however soon it takes over, and a client that has seen both goes on there', async () => {
  const before = await openDatabase(primary.url);
  const { userId } = await before.users.add('ada', { isAdmin: false });
  const { id: keyId } = await before.apiKeys.create('ada', 'test');
  const [runId] = await before.submissions.submit([request()], { userId, keyId });
  const owned = await before.ownershipRegister.claim(ARCH, OWNER, TTL_MS);
  await startReplica(
    { folder: join(folder, 'primary'), server: primary },
    { folder: join(folder, 'replica'), server: replica },
  );
  const several = await openDatabase(urlOfBoth());
  expect(await several.results.find(runId!)).toMatchObject({ state: 'queued' });
  await leaveBehind();
  // The replica never receives this grant.
  await before.journal.commit(ARCH, owned!.epoch, [grant(runId!, 1)]);
  await before.close();
  await primary.stop();
  await expect(several.results.find(runId!)).rejects.toThrow(DatabaseUnavailable);
  expect(await ask(replica, 'pg_promote()')).toBe(true);
  // Each connection that is left of the time before breaks at its next use.
  while ((await several.results.find(runId!).catch(() => null)) === null);
  await several.close();
  const after = await openDatabase(replica.url);
  expect(await after.results.find(runId!)).toMatchObject({ state: 'queued' });
  await expect(after.journal.commit(ARCH, owned!.epoch, [grant(runId!, 1)])).rejects.toThrow(StaleEpoch);
  const ownership = await after.ownershipRegister.claim(ARCH, OWNER, TTL_MS);
  expect(ownership!.epoch).toBeGreaterThan(owned!.epoch);
  await after.journal.commit(ARCH, ownership!.epoch, [grant(runId!, 1)]);
  await after.close();
});
