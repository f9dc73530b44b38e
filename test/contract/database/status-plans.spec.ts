import * as lists from '@libs/database/src/statuses/status-lists';
import { type Fixture, setUp } from './fixture';
import { scans } from './plan';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

/** The lists have 20,000 packages on two architectures. The index has the order of the list, so a page costs only its own rows. */
describe('lists of statuses', () => {
  const AFTER = `now(), 'p5', 'sid', 'amd64'`;
  const FROM_BEGINNING = 'null, null, null, null';

  beforeAll(async () => {
    await fixture.client.query('truncate package_statuses');
    await fixture.client.query(`
      insert into package_statuses (package, suite, arch, run_id, verdict, version, finished_at, failing_run_id, failing_version,
        failing_at, recovered_run_id, recovered_version, recovered_at, strip, flakiness, is_flaky, median_seconds, is_longer)
      select 'p' || n, 'sid', arch, n, verdict, '1', at, case when verdict = 'fail' then n end,
        case when verdict = 'fail' then '1' end, case when verdict = 'fail' then at end,
        case when n % 7 = 1 then n end, case when n % 7 = 1 then '1' end, case when n % 7 = 1 then at end,
        '0', (n % 10) / 20.0, n % 20 = 9, n % 5000, false
      from generate_series(1, 20000) n cross join unnest(array['amd64', 'arm64']) arch
      cross join lateral (
        select case n % 20 when 0 then 'fail' when 1 then 'tmpfail' else 'pass' end as verdict,
          now() - make_interval(mins => n) as at) made`);
    await fixture.client.query('vacuum analyze package_statuses');
    // Of so few rows a bitmap of the same index would do as well.
    await fixture.client.query('set enable_bitmapscan = off');
  });

  it.each([
    ['failures', lists.FAILING, '', 'now()', ['package_statuses_failing']],
    ['what could not be tested', lists.BROKEN, '', 'now()', ['package_statuses_broken']],
    ['flaky packages', lists.FLAKY, '', '0.4', ['package_statuses_unsteady']],
    ['slow packages', lists.SLOW, ', 3600', '4000', ['package_statuses_slow']],
    ['changes', lists.CHANGED, `, '2000-01-01'`, 'now()', ['package_statuses_changed']],
  ] as const)('%s are read in the order of their own index', async (_what, list, bound, value, indexes) => {
    for (const key of [FROM_BEGINNING, AFTER.replace('now()', value)])
      expect(
        await scans(
          fixture.client,
          list,
          `null, null, null, 101, ${key}${bound}`,
          'package_statuses',
          'custom',
        ),
      ).toEqual(indexes.map((index) => `Index Scan: ${index}`));
  });

  it.each([
    ['read', lists.SPLIT, `null, null, null, 101, 'p5', 'sid'`],
    ['counted', lists.SPLIT_COUNT, `null, null, null, 101`],
  ] as const)(
    'what fails on some architectures is %s in the order of failures, with a probe for each',
    async (_how, list, parameters) => {
      const scanNames = await scans(fixture.client, list, parameters, 'package_statuses', 'custom');
      expect(scanNames.map((scan) => scan.replace('Only ', ''))).toEqual([
        'Index Scan: package_statuses_failures',
        'Index Scan: package_statuses_pkey',
      ]);
    },
  );

  it('suites on which a package fails on some architectures only are counted as they are listed', async () => {
    await fixture.client.query(
      `update package_statuses set verdict = 'pass' where arch = 'arm64' and run_id % 40 = 0`,
    );
    const { statusLists } = fixture.database;
    const all = { suites: null, architectures: null, package: null };
    expect(await statusLists.countSplit(all)).toEqual({ count: 500, isMore: false });
    const some = { ...all, package: 'p1*' };
    const listed = await statusLists.split(some, 1_000, null);
    expect(await statusLists.countSplit(some)).toEqual({ count: listed.length, isMore: false });
    expect(await statusLists.countSplit({ ...all, architectures: ['arm64'] })).toEqual({
      count: 0,
      isMore: false,
    });
  });
});
