import { A_DAY, NO_END, type OldRuns, setUpOldRuns, UNTIL } from './old-runs';

const RUN_DAYS = 100;

let fixture: OldRuns;

beforeEach(async () => {
  fixture = await setUpOldRuns({ runs: 800, suites: ['sid'], packages: 2 }, A_DAY);
});
afterEach(() => fixture.close());

interface Row {
  run_id: number;
  is_private: boolean;
  api_key_id: number;
  requestor: string;
  finished_at: Date;
}

const rows = async (): Promise<Row[]> =>
  (
    await fixture.client.query<Row>(`
      select run_id, is_private, api_key_id, u.name as requestor, finished_at
      from runs join users u on u.user_id = requestor_id order by run_id`)
  ).rows;

/** Statistics, and the figures of each month. */
async function statistics() {
  const allStatistics = await fixture.statistics();
  const months = (allStatistics.packages as { package: string }[]).map((row) =>
    fixture.database.packageMonths.of({ package: row.package, suite: 'sid', arch: 'amd64' }),
  );
  const packageMonths = (await Promise.all(months)).flat().map(({ updatedAt: _, ...figures }) => figures);
  return { ...allStatistics, packageMonths };
}

it('statistics of each day, figures of each month and the status of each package stay when runs themselves go, and statuses can be made again', async () => {
  const before = await statistics();
  for (const rowsOfOne of Object.values(before)) expect(rowsOfOne.length).toBeGreaterThan(1);
  const totals = await fixture.client.query<{ runs: number; seconds: number }>(`
    select count(*)::integer as runs, sum(duration_seconds)::integer as seconds from runs where not is_private and not cancelled`);
  const sum = (figures: number[]): number => figures.reduce((all, each) => all + each, 0);
  const months = before.packageMonths;
  expect(sum(months.map(({ runs }) => runs))).toBe(totals.rows[0]!.runs);
  expect(sum(months.map(({ testSeconds }) => testSeconds))).toBe(totals.rows[0]!.seconds);
  // In two passes: what was counted first is added to.
  const { runs } = await fixture.expire({ runDays: 2 * RUN_DAYS });
  expect(runs).toBeGreaterThan(100);
  expect((await fixture.expire({ runDays: RUN_DAYS + 5 })).runs).toBeGreaterThan(50);
  expect((await fixture.expire({ runDays: RUN_DAYS })).runs).toBeGreaterThan(0);
  expect(await statistics()).toEqual(before);
  await fixture.client.query(`truncate package_statuses`);
  await fixture.client.query(`update status_progress set filled_package = '', filled_suite = ''`);
  expect(await statistics()).toEqual(before);
});

it('old runs that have nothing else left are removed, as many as a rehearsal counts, and the rule is recorded', async () => {
  await statistics();
  const before = await rows();
  const rehearsed = await fixture.expire({ runDays: RUN_DAYS }, { isRehearsal: true });
  expect(await rows()).toEqual(before);
  const counts = await fixture.expire({ runDays: RUN_DAYS });
  expect(rehearsed).toEqual(counts);
  const remainingIds = new Set((await rows()).map(({ run_id: runId }) => runId));
  const deletedRuns = before.filter(({ run_id: runId }) => !remainingIds.has(runId));
  expect(deletedRuns).toHaveLength(counts.runs);
  for (const { finished_at: at } of deletedRuns)
    expect(UNTIL.getTime() - at.getTime()).toBeGreaterThan(RUN_DAYS * 86_400_000);
  expect(new Set(deletedRuns.map(({ is_private: isPrivate }) => isPrivate))).toEqual(new Set([true, false]));
  const { removedRuns } = fixture.database;
  for (const run of deletedRuns) {
    const owner = run.is_private ? { keyId: run.api_key_id, requestor: run.requestor } : null;
    expect(await removedRuns.find(run.run_id)).toEqual({ removedBy: `runs: ${RUN_DAYS}`, owner });
  }
  for (const runId of remainingIds) expect(await removedRuns.find(runId)).toBeNull();
});

it('no run goes without a limit, before the figures of its day are made, or while it has facts or files', async () => {
  expect(await fixture.expire({ runDays: RUN_DAYS })).toMatchObject({ runs: 0 });
  await statistics();
  expect(await fixture.expire()).toMatchObject({ runs: 0 });
  await fixture.client.query(
    `update runs set story_removed_by = null, log_size = case when run_id % 2 = 0 then 1 end, artifacts_size = null`,
  );
  expect(await fixture.expire({ ...NO_END, runDays: RUN_DAYS }, { isRehearsal: true })).toMatchObject({
    runs: 0,
  });
  expect(await fixture.expire({ ...NO_END, runDays: RUN_DAYS })).toMatchObject({ runs: 0 });
});

it('a run that was retried stays while the other does, and what a user decided about a run stays when it goes', async () => {
  await statistics();
  const { runs } = await fixture.expire({ runDays: RUN_DAYS }, { isRehearsal: true });
  const [old] = (await rows()).filter(({ is_private: isPrivate }) => !isPrivate);
  await fixture.client.query('update runs set retry_of = $1 where run_id = (select max(run_id) from runs)', [
    old!.run_id,
  ]);
  await fixture.client.query(
    `insert into orders (arch, kind, run_id, actor_id, created_at, taken_in)
     select arch, 'publish', run_id, requestor_id, finished_at, true from runs`,
  );
  const counts = await fixture.expire({ runDays: RUN_DAYS });
  expect(counts.runs).toBe(runs - 1);
  expect((await rows()).map(({ run_id: runId }) => runId)).toContain(old!.run_id);
  const { rows: orders } = await fixture.client.query('select from orders');
  expect(orders).toHaveLength(800);
});
