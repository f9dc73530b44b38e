import { Logger } from '@nestjs/common';
import { DatabaseUnavailable, migrate, type OpenDatabase, openDatabase } from '@proctor/database';
import { EmbeddedPostgres } from '@proctor/embedded';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CuttableLink, linkTo } from '@test/support/cuttable-link';
import { connectTo } from '@test/support/database';
import { freeze } from '@test/support/frozen-processes';
import { peerMsUntil } from '@test/support/peer-clock';
import { ARCH, finish, grant, HALF_LIFE_MS, request } from '../journal.fixture';

/** Ways to a database that has stopped answering and breaks no connection. */
interface Silence {
  url: string;
  begin(): void;
  end(): void;
}

/** The limits of the client are long enough for what must succeed on a busy machine. */
const LIMITS = {
  connectionsMax: 4,
  connectTimeoutMs: 3_000,
  answerTimeoutMs: 3_000,
  commitSearchTimeoutMs: 1_000,
};
/** Calls that gave up one after the other would need twice as long. */
const BOUND_MS = 1.5 * LIMITS.answerTimeoutMs;

let folder: string;
let postgres: EmbeddedPostgres;
let link: CuttableLink;

beforeAll(async () => {
  Logger.overrideLogger(false);
  folder = await mkdtemp(join(tmpdir(), 'proctor-frozen-'));
  await chmod(folder, 0o711);
  postgres = new EmbeddedPostgres({
    folder: join(folder, 'postgresql'),
    passwordFile: join(folder, 'postgres.password'),
  });
  await postgres.start();
  await migrate(postgres.url);
  link = await linkTo(postgres.url);
});
afterAll(async () => {
  await link.cut();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
  Logger.overrideLogger(['error', 'warn', 'log']);
});

function frozenServer(): Silence {
  let thaw = (): void => undefined;
  return {
    url: postgres.url,
    begin: () => void (thaw = freeze(postgres.pid!)),
    end: () => thaw(),
  };
}

const silentLink = (): Silence => ({ url: link.url, begin: () => link.swallow(), end: () => link.clear() });

describe.each([
  ['a server that is frozen', frozenServer],
  ['a network that swallows everything', silentLink],
])('%s', (_, silenceOf) => {
  let silence: Silence;
  let database: OpenDatabase;
  let submitter: { userId: number; keyId: number };

  beforeEach(async () => {
    silence = silenceOf();
    database = await openDatabase(silence.url, LIMITS);
    const name = `ada-${silence.url.length}-${Math.trunc(performance.now())}`;
    const { userId } = await database.users.add(name, { isAdmin: false });
    submitter = { userId, keyId: (await database.apiKeys.create(name, 'test')).id };
  });
  afterEach(async () => {
    silence.end();
    await database.close();
  });

  const calls = (runId: number) => {
    const by = { userId: submitter.userId, userName: 'ada' };
    const once = { keyId: submitter.keyId, key: 'word', fingerprint: 'a'.repeat(64) };
    const { journal, ownershipRegister, submissions } = database;
    return {
      'a submission': () => submissions.submit([request()], submitter),
      'one with a key': () => submissions.submitOnce(once, [request()], submitter, (ids) => ids),
      'a cancellation': () => database.cancellations.cancel(runId, by),
      'a poll': () => database.results.since(submitter.keyId, 0, 'pass'),
      'a look for news': () => database.results.withNews([{ keyId: submitter.keyId, sinceSeconds: 0 }]),
      'a user': () => database.users.find('ada'),
      'an ownership': () => ownershipRegister.claim(ARCH, 'one', 5_000),
      'an announcement': () => ownershipRegister.reportAlive('one', 5_000),
      arrivals: () => journal.arrivals(ARCH, 10),
      'all of an architecture': () => journal.load(ARCH, HALF_LIFE_MS),
      'a turn': () => journal.commit(ARCH, 1, [grant(runId, 1), finish(runId, 1)]),
    };
  };

  it('every call gives up a silent database in time, however many there are at once, and does nothing', async () => {
    const [runId] = await database.submissions.submit([request()], submitter);
    const all = Object.entries(calls(runId!));
    silence.begin();
    // Several times as many as there are connections.
    const answers = Promise.all(
      all.map(async ([name, call]) => [name, await call().catch((reason: unknown) => reason)]),
    );
    const ms = await peerMsUntil(answers);
    silence.end();
    expect(await answers).toEqual(all.map(([name]) => [name, expect.any(DatabaseUnavailable)]));
    expect(ms).toBeLessThan(BOUND_MS);
    const rows = await database.results.find(runId!);
    expect(rows).toMatchObject({ state: 'queued' });
    const client = await connectTo(postgres.url);
    const { rowCount } = await client.query('select from runs where api_key_id = $1', [submitter.keyId]);
    await client.end();
    expect(rowCount).toBe(1);
    for (const call of [calls(runId!).arrivals, calls(runId!)['a submission'], calls(runId!)['a poll']])
      await call();
  });

  it('a process that ends gives up a silent database in time', async () => {
    await Promise.all(Array.from({ length: 4 }, () => database.users.find('ada')));
    silence.begin();
    expect(await peerMsUntil(database.close())).toBeLessThan(BOUND_MS);
    silence.end();
    database = await openDatabase(postgres.url);
  });
});
