import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseUnavailable, migrate, openDatabase, type OpenDatabase } from '@proctor/database';
import { StaleEpoch } from '@proctor/dispatch';
import { EmbeddedPostgres } from '@proctor/embedded';
import type { Client } from 'pg';
import {
  type End,
  endOf,
  serverOf,
  type TransactionIdentity,
  witnessAt,
} from '@libs/database/src/kit/commit-search';
import type { BoundedClient } from '@libs/database/src/kit/bounded-client';
import { type CuttableLink, linkTo } from '@test/support/cuttable-link';
import { connectTo } from '@test/support/database';
import { silenceLog } from '@test/support/silent-log';
import { ARCH, grant, request } from '../journal.fixture';

silenceLog();

const LIMITS = { answerTimeoutMs: 3_000, commitSearchTimeoutMs: 60_000 };

let folder: string;
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-crash-'));
  await chmod(folder, 0o711);
  // Nothing but a commit brings anything to the disk.
  const settings = { wal_writer_delay: '10s', autovacuum: 'off' };
  postgres = new EmbeddedPostgres({
    folder: join(folder, 'server'),
    passwordFile: join(folder, 'key'),
    settings,
  });
  await postgres.start();
  await migrate(postgres.url);
});
afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true });
});

async function crash(): Promise<void> {
  const { whenEnded } = postgres;
  process.kill(postgres.pid!, 'SIGKILL');
  await whenEnded;
}

/** A backend is killed: the server ends all others, recovers, and has the same process as before. */
async function crashInside(): Promise<void> {
  const victim = await connectTo(postgres.url);
  const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid');
  const disconnection = new Promise((resolve) => victim.once('end', resolve));
  process.kill(rows[0]!.pid, 'SIGKILL');
  await disconnection;
  for (;;) {
    const client = await connectTo(postgres.url).catch(() => null);
    await client?.end();
    if (client) return;
  }
}

/** A transaction that is open as the server crashes. */
async function openTransaction(client: Client) {
  await client.query('begin');
  const { rows } = await client.query<{ id: string; processId: number }>(
    'select pg_current_xact_id()::text as id, pg_backend_pid() as "processId"',
  );
  const server = await serverOf(client as unknown as BoundedClient);
  return { ...rows[0]!, server };
}

function ask(transaction: TransactionIdentity): Promise<End> {
  return endOf(transaction, (timeoutMs) => witnessAt(postgres.url, timeoutMs), LIMITS);
}

/** Commits transactions until one has had this id. */
async function giveAgain(id: string): Promise<void> {
  const client = await connectTo(postgres.url);
  const next = async () => {
    const { rows } = await client.query<{ id: string }>('select pg_current_xact_id()::text as id');
    return BigInt(rows[0]!.id);
  };
  let nextId = await next();
  expect(nextId <= BigInt(id)).toBe(true);
  while (nextId < BigInt(id)) nextId = await next();
  await client.end();
}

describe.each([
  ['the server is killed', async () => crash().then(() => postgres.start())],
  ['one of its processes is killed', crashInside],
])('when %s', (_what, crashes) => {
  it('a transaction that it has forgotten is not known, nor confused with another that has its id now', async () => {
    const client = await connectTo(postgres.url);
    const transaction = await openTransaction(client);
    await crashes();
    const ends: End[] = [await ask(transaction)];
    await giveAgain(transaction.id);
    ends.push(await ask(transaction));
    expect(ends).toEqual(['unknown', 'unknown']);
  });

  it('an ownership ends, since ids that its owner has seen are given again', async () => {
    const database = await openDatabase(postgres.url);
    const { userId } = await database.users.add(`ada-${postgres.pid}`, { isAdmin: false });
    const { id: keyId } = await database.apiKeys.create(`ada-${postgres.pid}`, 'test');
    const [runId] = await database.submissions.submit([request()], { userId, keyId });
    const { epoch } = (await database.ownershipRegister.claim(ARCH, 'scheduler-1', 600_000))!;
    await crashes();
    const commit = async () => {
      for (;;) {
        const outcome = await database.journal
          .commit(ARCH, epoch, [grant(runId!, 1)])
          .catch((error: unknown) => error);
        if (outcome instanceof StaleEpoch || !(outcome instanceof Error)) return outcome;
      }
    };
    expect(await commit()).toBeInstanceOf(StaleEpoch);
    await database.close();
  });
});

describe('a request whose commit is under way when the server is killed', () => {
  let link: CuttableLink;
  let database: OpenDatabase;
  beforeEach(async () => {
    link = await linkTo(postgres.url);
    database = await openDatabase(link.url, LIMITS);
  });
  afterEach(async () => {
    await database.close();
    await link.cut();
  });

  it('does not count as done, though another transaction was committed under its id', async () => {
    await database.users.add('grace', { isAdmin: false });
    const { userId } = (await database.users.find('grace'))!;
    const { id: keyId } = await database.apiKeys.create('grace', 'test');
    const watcher = await connectTo(postgres.url);
    const pending = async () => {
      const { rows } = await watcher.query<{ id: string | null }>(
        `select max(backend_xid::text::bigint)::text as id from pg_stat_activity where pid <> pg_backend_pid()`,
      );
      return rows[0]!.id;
    };
    link.lose('commit\0');
    const submitted = database.submissions.submit([request()], { userId, keyId }).then(
      (ids) => ids,
      (error: unknown) => error as DatabaseUnavailable,
    );
    let id = await pending();
    while (id === null) id = await pending();
    await crash();
    await postgres.start();
    await giveAgain(id);
    expect(await submitted).toMatchObject({ extent: 'unknown' });
  });
});

it('of a storm of requests that the server is killed in, each gets its own outcome, or the answer that it is unknown, and nothing else', async () => {
  const database = await openDatabase(postgres.url, LIMITS);
  await database.users.add('linus', { isAdmin: false });
  const { userId } = (await database.users.find('linus'))!;
  const { id: keyId } = await database.apiKeys.create('linus', 'test');
  const answers = new Map<string, number[] | DatabaseUnavailable['extent']>();
  const submit = async (name: string) => {
    const ids = await database.submissions
      .submit([{ ...request(), package: name }], { userId, keyId })
      .catch((error: unknown) => {
        if (error instanceof DatabaseUnavailable) return error.extent;
        throw error;
      });
    answers.set(name, ids);
  };
  for (const storm of ['first', 'second', 'third']) {
    const names = Array.from({ length: 60 }, (_, place) => `${storm}${place}`);
    const storms = names.map(submit);
    await Promise.race(storms);
    await crash();
    await postgres.start();
    await Promise.all(storms);
  }
  await database.close();

  const watcher = await connectTo(postgres.url);
  const { rows } = await watcher.query<{ runId: number; name: string }>(
    'select run_id as "runId", package as name from runs',
  );
  await watcher.end();
  const isTrue = ([name, what]: [string, number[] | string]): boolean => {
    const runIds = rows.filter((row) => row.name === name).map((row) => row.runId);
    if (what === 'unknown') return true;
    return JSON.stringify(runIds) === JSON.stringify(what === 'nothing' ? [] : what);
  };
  expect([...answers].filter((each) => !isTrue(each))).toEqual([]);
  expect(answers.size).toBe(180);
  // What came to its end before is not unknown.
  expect([...answers.values()].filter((what) => Array.isArray(what)).length).toBeGreaterThanOrEqual(3);
});
