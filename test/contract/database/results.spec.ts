import { ARCH, finish, grant, request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { readSince, type ReadResult } from '@test/support/results-since';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders'));

async function since(
  time: number,
  keyId = fixture.submitter.keyId,
): Promise<{ until: number; rows: ReadResult[] }> {
  const answer = await readSince(fixture.database.results, keyId, time);
  const rows: ReadResult[] = [];
  for await (const row of answer.rows) rows.push(row);
  return { until: answer.until, rows };
}

async function submit(count = 1, change = {}): Promise<number[]> {
  return fixture.database.submissions.submit(
    Array.from({ length: count }, () => request(change)),
    fixture.submitter,
  );
}

/** PostgreSQL's clock, UNIX seconds. */
async function clock(): Promise<number> {
  const { rows } = await fixture.client.query<{ now: number }>(
    'select extract(epoch from clock_timestamp())::float8 as now',
  );
  return rows[0]!.now;
}

it('one run is found by its id, with everything that was asked', async () => {
  const requestedRun = request({
    package: 'libfoo',
    priority: 10,
    trigger: 'a "b" \\ ü 🦆\n',
    pinPackages: [
      ['src:glibc', 'sid'],
      ['a,b', 'trixie'],
    ],
    extraAptSources: ['staging'],
    isPrivate: true,
  });
  const [runId] = await fixture.database.submissions.submit([requestedRun], fixture.submitter);
  const record = await fixture.database.results.find(runId!);
  expect(record).toEqual({
    ...requestedRun,
    runId,
    state: 'queued',
    verdict: null,
    trouble: null,
    cancelled: false,
    version: null,
    message: null,
    exitCode: null,
    attempt: 0,
    worker: null,
    image: null,
    createdAt: expect.any(Date),
    updatedAt: record!.createdAt,
    startedAt: null,
    finishedAt: null,
    durationSeconds: null,
    logSize: null,
    artifactsSize: null,
    logRemovedBy: null,
    artifactsRemovedBy: null,
    storyRemovedBy: null,
    supersededBy: null,
    retryOf: null,
    keyId: fixture.submitter.keyId,
    requestor: 'ada',
  });
});

it('one run is null when there is none', async () => {
  expect(await fixture.database.results.find(2_000_000_000)).toBeNull();
});

it('what is returned is the runs of the key alone', async () => {
  const other = await fixture.database.apiKeys.create('ada', 'another key of the same user');
  const [own] = await submit();
  await fixture.database.submissions.submit([request()], { ...fixture.submitter, keyId: other.id });
  expect((await since(0)).rows.map((row) => row.runId)).toEqual([own]);
});

it('what is returned is ordered by the time of the update, then by id, and a finished run comes again', async () => {
  const ids = await submit(3);
  const [first, second, third] = ids as [number, number, number];
  const created = await since(0);
  expect(created.rows.map((row) => [row.runId, row.verdict])).toEqual(ids.map((id) => [id, null]));
  await fixture.commit(ARCH, [grant(second, 1), finish(second, 1)]);
  expect((await since(0)).rows.map((row) => [row.runId, row.verdict])).toEqual([
    [first, null],
    [third, null],
    [second, 'pass'],
  ]);
});

it('what is returned includes a row updated exactly at the time asked for, with its milliseconds, and none before', async () => {
  const [runId] = await submit();
  await fixture.client.query(`update runs set updated_at = '2026-01-01T00:00:00.123Z' where run_id = $1`, [
    runId,
  ]);
  const seconds = Date.parse('2026-01-01T00:00:00.123Z') / 1000;
  expect((await since(seconds)).rows).toHaveLength(1);
  expect((await since(seconds - 0.001)).rows).toHaveLength(1);
  expect((await since(seconds + 0.001)).rows).toEqual([]);
});

it('what is returned comes page by page without a gap or a repetition, all at one time or at different times', async () => {
  const ids = [...(await submit(1500)), ...(await submit(1001)), ...(await submit(1))];
  expect((await since(0)).rows.map((row) => row.runId)).toEqual(ids);
});

it('what is returned takes any time for an answer, also one that no clock will reach', async () => {
  await submit();
  expect(await since(1e300)).toEqual({ until: 1e300, rows: [] });
});

it('until is the floor of what was asked when there is nothing', async () => {
  expect(await since(12.75)).toEqual({ until: 12, rows: [] });
  await submit();
  const later = Math.floor(await clock()) + 1000;
  expect(await since(later + 0.5)).toEqual({ until: later, rows: [] });
});

it('until returns a row at once, and again only until its second is over', async () => {
  const before = Math.floor(await clock());
  const [runId] = await submit();
  const prompt = await since(before);
  expect(prompt.rows.map((row) => row.runId)).toEqual([runId]);
  const second = Math.floor(prompt.rows[0]!.updatedAt.getTime() / 1000);
  expect(prompt.until).toBeLessThanOrEqual(second + 1);
  let reply = prompt;
  while (reply.rows.length > 0) reply = await since(reply.until);
  expect(reply.until).toBe(second + 1);
  expect(await since(reply.until)).toEqual({ until: second + 1, rows: [] });
});

it('until is just above the last row once that second is over, however long ago it was', async () => {
  const [runId] = await submit();
  await fixture.client.query(`update runs set updated_at = '2026-01-01T00:00:00.999Z' where run_id = $1`, [
    runId,
  ]);
  expect((await since(0)).until).toBe(Date.parse('2026-01-01T00:00:01Z') / 1000);
  await fixture.client.query(`update runs set updated_at = '2026-01-01T00:00:01.000Z' where run_id = $1`, [
    runId,
  ]);
  expect((await since(0)).until).toBe(Date.parse('2026-01-01T00:00:02Z') / 1000);
});

it.each([
  ['creates', () => submit(1, { trigger: 'slow' })],
  ['finishes', finishSlowly],
])('until stays below a transaction that %s a run and is not committed', async (_, write) => {
  await withGate(async (release) => {
    const slow = write();
    await gateAwaited();
    await fixture.client.query(
      `select pg_sleep(extract(epoch from date_trunc('second', clock_timestamp()) + interval '1.01 s' - clock_timestamp()))`,
    );
    const [quick] = await submit();
    const meanwhile = await since(0);
    expect(meanwhile.rows.at(-1)!.runId).toBe(quick);
    await release();
    const [late] = await slow;
    const { rows } = await since(meanwhile.until);
    expect(rows.map((row) => row.runId)).toEqual([late, quick]);
    expect(rows[0]!.updatedAt.getTime()).toBeGreaterThanOrEqual(meanwhile.until * 1000);
  });
});

it('until misses nothing when it is fed back as since, whatever is written meanwhile', async () => {
  await fixture.client.query(`
      create function drowse() returns trigger language plpgsql as $$ begin perform pg_sleep(0.3); return new; end $$;
      create trigger drowse before insert or update on runs for each row when (new.priority = 1) execute function drowse()`);
  const over = Date.now() + 3_000;
  const writtenLines: string[] = [];
  // On a busy machine it takes longer until there is much to miss.
  const goesOn = () => Date.now() < over || writtenLines.length <= 50;
  const note = (record: ReadResult) => `${record.runId} ${record.verdict} ${record.updatedAt.toISOString()}`;
  const write = async (priority: number, arch: string) => {
    while (goesOn()) {
      const ids = await submit(2, { priority, arch });
      for (const runId of ids) writtenLines.push(note((await fixture.database.results.find(runId))!));
      if (priority === 1) continue;
      await fixture.commit(arch, [grant(ids[0]!, 1), finish(ids[0]!, 1)]);
      writtenLines.push(note((await fixture.database.results.find(ids[0]!))!));
    }
  };
  const readInto = async (lines: Set<string>) => {
    let time = 0;
    const poll = async () => {
      const { until, rows } = await readSince(fixture.database.results, fixture.submitter.keyId, time);
      for await (const record of rows) lines.add(note(record));
      time = until;
    };
    while (goesOn()) await poll();
    return poll;
  };
  const linesOfReaders = [new Set<string>(), new Set<string>()];
  const [polls] = await Promise.all([
    Promise.all(linesOfReaders.map(readInto)),
    ...[write(1, 'amd64'), write(1, 'amd64'), write(5, 'arm64'), write(5, 'riscv64')],
  ]);
  for (const poll of polls) await poll();
  await fixture.client.query('drop trigger drowse on runs; drop function drowse');
  expect(writtenLines.length).toBeGreaterThan(50);
  const finishedAtLast = writtenLines.filter((line) => !overtaken(line, writtenLines));
  for (const lines of linesOfReaders) expect(finishedAtLast.filter((line) => !lines.has(line))).toEqual([]);
});

/** The client may miss a creation once it has got the same run as finished. */
function overtaken(line: string, all: string[]): boolean {
  const [runId, verdict] = line.split(' ');
  return verdict === 'null' && all.some((other) => other.startsWith(`${runId} pass`));
}

const GATE = 99;

/** Runs with the trigger `slow` are created, and `slow` messages booked, when released: after their time was drawn. */
async function withGate(work: (release: () => Promise<unknown>) => Promise<void>): Promise<void> {
  const { client } = fixture;
  await client.query(`
    create function wait_at_gate() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${GATE}); return new; end $$;
    create trigger slow_create before insert on runs for each row
      when (new.trigger = 'slow') execute function wait_at_gate();
    create trigger slow_finish before update on runs for each row
      when (new.message = 'slow') execute function wait_at_gate();
    select pg_advisory_lock(${GATE})`);
  try {
    await work(() => client.query(`select pg_advisory_unlock(${GATE})`));
  } finally {
    await client.query(`select pg_advisory_unlock_all()`);
    await client.query(`drop function wait_at_gate cascade`);
  }
}

async function gateAwaited(): Promise<void> {
  const waiting = `select from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted`;
  while ((await fixture.client.query(waiting)).rowCount === 0);
}

async function finishSlowly(): Promise<number[]> {
  const [runId] = (await submit()) as [number];
  await fixture.commit(ARCH, [grant(runId, 1)]);
  await fixture.commit(ARCH, [finish(runId, 1, { message: 'slow' })]);
  return [runId];
}
