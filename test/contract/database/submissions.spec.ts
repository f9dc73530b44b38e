import { ARCH, request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders'));

it('a submission answers the ids in the order of the requests, for 20,000 of them', async () => {
  const requests = Array.from({ length: 20_000 }, (_, place) => request({ trigger: `place ${place}` }));
  const ids = await fixture.database.submissions.submit(requests, fixture.submitter);
  const { rows } = await fixture.client.query<{ run_id: number; trigger: string }>(
    'select run_id, trigger from runs',
  );
  const triggers = new Map(rows.map((row) => [row.run_id, row.trigger]));
  expect(ids.map((id) => triggers.get(id))).toEqual(requests.map((one) => one.trigger));
});

it('a submission makes arrivals of them in the same order', async () => {
  const ids = await fixture.database.submissions.submit([request(), request(), request()], fixture.submitter);
  const { runs } = await fixture.database.journal.arrivals(ARCH, 10);
  expect(runs.map(({ runId }) => runId)).toEqual(ids);
});

it('a submission creates nothing when one request is impossible', async () => {
  const requests = [request(), request({ priority: 11 }), request()];
  await expect(fixture.database.submissions.submit(requests, fixture.submitter)).rejects.toThrow(
    'runs_priority_check',
  );
  expect((await fixture.client.query('select from runs')).rowCount).toBe(0);
});

it('a submission needs no statement for no request', async () => {
  expect(await fixture.database.submissions.submit([], fixture.submitter)).toEqual([]);
});

it('a submission draws one time for all, in whole milliseconds, from the clock of the database', async () => {
  const clock = async () =>
    (await fixture.client.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]!.now;
  const before = await clock();
  await fixture.database.submissions.submit([request(), request()], fixture.submitter);
  const { rows } = await fixture.client.query<{ created_at: Date; updated_at: Date }>(
    'select distinct created_at, updated_at from runs',
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]!.created_at).toEqual(rows[0]!.updated_at);
  expect(rows[0]!.created_at.getTime()).toBeGreaterThanOrEqual(before.getTime());
  expect(rows[0]!.created_at.getTime()).toBeLessThanOrEqual((await clock()).getTime());
});

it('a submission keeps each text as it is, whatever it means to an array of PostgreSQL', async () => {
  const one = ['NULL', 'null', '', ' ', 'a,b', '{a}', 'ä€😀', 'a b'];
  const escaped = ['"', '\\', '\\n', 'a\nb', '\t', '\u0001', '\u007f'];
  for (const triggers of [
    [...one, null],
    [...escaped, null],
    [...one, ...escaped, null],
  ]) {
    const requests = triggers.map((trigger) => request({ trigger, pinPackages: [['src:"a"', 'sid']] }));
    const ids = await fixture.database.submissions.submit(requests, fixture.submitter);
    const runs = await Promise.all(ids.map((id) => fixture.database.results.find(id)));
    expect(runs).toMatchObject(requests);
  }
});
