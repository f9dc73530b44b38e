import { openDatabase, type Submitter } from '@proctor/database';
import type { Client } from 'pg';
import { insertMany } from './bulk';
import { preparePackages } from './packages';
import { makePeople } from './people';

export interface FinishedRunsPlan {
  runs: number;
  /** Equal seeds give equal runs. */
  seed: number;
  suites: string[];
  architectures: string[];
  packages: number;
  /** When the last of them finished; the first finished `days` before. */
  until: Date;
  days: number;
  /** Whose runs they are; people of their own when absent. */
  owners?: Submitter[];
  /** Share of private runs, from 0 to 1. */
  privateShare?: number;
  /** Without attempts and facts of the runs, which are most of the rows. */
  isBare?: boolean;
}

/**
 * Runs as an archive of packages has them after so many days, all finished: each package once on each suite and
 * architecture, then some much more often than others. Most pass always, some are flaky, some fail since a version, some
 * did for a time. The database has the present schema, and is used by no other connection.
 */
export async function generateFinishedRuns(client: Client, plan: FinishedRunsPlan): Promise<void> {
  const owners = plan.owners ?? (await makePeople(client));
  await preparePackages(client, plan.packages, plan.seed);
  const { rows } = await client.query<{ last: string | null }>('select max(run_id) as last from runs');
  const before = Number(rows[0]!.last ?? 0);
  const values = [
    ...[before, plan.runs, plan.packages, plan.suites, plan.architectures, plan.until, plan.days],
    ...[owners.map(({ userId }) => userId), owners.map(({ keyId }) => keyId), plan.privateShare ?? 0.02],
  ];
  const tables = plan.isBare ? ['runs'] : ['runs', 'attempts', 'facts'];
  await insertMany(client, tables, plan.runs, async (from, to) => {
    await client.query(RUNS, [...values, from, to]);
    if (plan.isBare) return;
    await client.query(ATTEMPTS, [before + from, before + to]);
    await client.query(FACTS, [before + from, before + to]);
  });
  await client.query(`select setval(pg_get_serial_sequence('runs', 'run_id'), $1)`, [before + plan.runs]);
  await client.query(DURATIONS, [plan.architectures]);
}

const chance = (of: string, number: number): string => `pg_temp.chance(${of}, ${number})`;

/** The runs of the numbers $11 to $12, of $2 in all, after the run $1. */
const RUNS = `
  insert into runs (run_id, package, suite, arch, backend, variant, priority, trigger, pin_packages, extra_apt_sources,
    is_private, requestor_id, api_key_id, state, verdict, cancelled, attempt, taken_in, version, message, exit_code, worker,
    duration_seconds, log_size, artifacts_size, tests, error_signature, error_excerpt, created_at, updated_at, started_at,
    finished_at)
  select $1::bigint + n, p.name, suite, arch, 'unshare', 'autopkgtest', priority, trigger, pins, '[]',
    ${chance('n', 20)} < $10::float8, ($8::integer[])[owner], ($9::integer[])[owner], 'finished', verdict, is_cancelled,
    attempt, true, case when is_cancelled then 'n/a' else version end,
    case when is_cancelled then 'cancelled by user ada' else case verdict
      when 'pass' then 'all tests passed' when 'neutral' then 'no tests in this package, or all were skipped'
      when 'fail' then 'at least one test failed' else 'the testbed could not be set up' end end,
    case when not is_cancelled then case verdict when 'pass' then 0 when 'neutral' then 8 when 'fail' then 4 else 16 end end,
    case when not is_cancelled then 'worker' || 1 + (n * 7 % 47) end,
    case when not is_cancelled then took end, case when not is_cancelled then 900 + took * 61 end,
    case when not is_cancelled then 2000 + took * 97 end,
    case when is_cancelled or verdict in ('neutral', 'tmpfail') then '[]'::jsonb
      else jsonb_build_array(jsonb_build_object('name', 'upstream-tests',
        'status', case verdict when 'pass' then 'PASS' else 'FAIL' end,
        'detail', case verdict when 'fail' then 'non-zero exit status 1' end)) end,
    case when verdict = 'fail' and not is_cancelled then left(md5('error ' || place % 97), 16) end,
    case when verdict = 'fail' and not is_cancelled then jsonb_build_object('firstLine', 40, 'errorLine', 41, 'lines',
      jsonb_build_array('test_' || p.friend || ' (test.unit) ... ERROR', 'AssertionError: ' || place % 97 || ' is not ' ||
        place % 97 + 1, 'FAILED (errors=1)')) end,
    finished - make_interval(secs => took + floor(21600 * power(${chance('n', 21)}, 3))), finished,
    case when not is_cancelled then finished - make_interval(secs => took) end, finished
  from generate_series($11::bigint, $12::bigint) n
  cross join lateral (
    select cardinality($4::text[]) * cardinality($5::text[]) as pairs, n / $2::float8 as age
  ) archive
  cross join lateral (
    select case when n <= $3::bigint * pairs then (n - 1) / pairs
        else least($3::bigint - 1, floor($3::bigint * power(${chance('n', 1)}, 2.5)))::bigint end as place,
      case when n <= $3::bigint * pairs then (n - 1) % pairs
        else floor(pairs * ${chance('n', 2)})::bigint end as pair
  ) which
  join generated_packages p using (place)
  cross join lateral (
    select ($4::text[])[1 + pair / cardinality($5::text[])] as suite, ($5::text[])[1 + pair % cardinality($5::text[])] as arch,
      ${chance('place * 997 + pair', 3)} as story, ${chance('place * 997 + pair', 4)} as since,
      1 + place % 4 || '.' || place % 10 + floor(age * p.uploads)::integer || '-' || 1 + place % 3 as version,
      ceil(p.seconds * (0.8 + 0.5 * ${chance('n', 5)}))::integer as took,
      date_trunc('milliseconds', $6::timestamptz - make_interval(secs => $7::float8 * 86400 * (1 - age))) as finished,
      ${chance('n', 6)} < 0.005 as is_cancelled
  ) what
  cross join lateral (
    select case when is_cancelled or ${chance('n', 7)} < 0.015 then 'tmpfail'
        when story < 0.8 then 'pass'
        when story < 0.85 then 'neutral'
        when story < 0.92 then case when ${chance('n', 8)} < 0.3 then 'fail' else 'pass' end
        when story < 0.97 then case when age >= since then 'fail' else 'pass' end
        else case when age between since and since + 0.3 then 'fail' else 'pass' end end as verdict,
      case when is_cancelled then 0
        else 1 + (${chance('n', 9)} < 0.03)::integer + (${chance('n', 9)} < 0.005)::integer end as attempt,
      case when ${chance('n', 10)} < 0.8 then 1
        else 1 + floor(cardinality($8::integer[]) * ${chance('n', 11)})::integer end as owner,
      case when ${chance('n', 12)} < 0.15 then 'migration-reference/0'
        when ${chance('n', 12)} < 0.5 then p.name || '/' || version
        when ${chance('n', 12)} < 0.9 then p.friend || '/' || version end as trigger,
      case when ${chance('n', 13)} < 0.08
        then jsonb_build_array(jsonb_build_array('src:' || p.friend, 'unstable')) else '[]'::jsonb end as pins,
      case when ${chance('n', 14)} < 0.8 then 5 else 1 + floor(10 * ${chance('n', 15)})::integer end as priority
  ) how
  order by n`;

/** The attempts of the runs $1 to $2: all but the last of each run were lost with their workers. */
const ATTEMPTS = `
  insert into attempts (run_id, attempt, worker, incarnation, slot, epoch, granted_at, started_at, ended_at, outcome, reason,
    verdict, exit_code, log_size, artifacts_size)
  select run_id, a, case when is_last then worker else 'worker48' end, '00000000-0000-4000-8000-000000000001',
    run_id % 4, 1, began - interval '1 second', began,
    case when is_last then finished_at else began + interval '60 seconds' end,
    case when is_last then 'finished' else 'expired' end, case when not is_last then 'its lease expired' end,
    case when is_last then verdict end, case when is_last then exit_code end, case when is_last then log_size end,
    case when is_last then artifacts_size end
  from runs cross join generate_series(1, attempt) a
  cross join lateral (
    select a = attempt as is_last, started_at - (attempt - a) * interval '10 minutes' as began
  ) part
  where run_id between $1 and $2 order by run_id, a`;

/** The facts of the runs $1 to $2, marked as published events. */
const FACTS = `
  insert into facts (run_id, arch, suite, kind, state, attempt, actor, reason, verdict, at, published)
  select r.run_id, r.arch, r.suite, fact.kind, fact.state, fact.attempt, fact.actor, fact.reason, fact.verdict, fact.at, true
  from runs r join users u on u.user_id = r.requestor_id
  cross join lateral (
    select 0 as attempt, 0 as place, 'requested' as kind, 'queued' as state, 'user ' || u.name as actor, null as reason,
      null as verdict, r.created_at as at
    union all
    select a.attempt, step.place, step.kind, step.state, step.actor, step.reason, step.verdict, step.at
    from attempts a cross join lateral (values
      (1, 'granted', 'leased', 'scheduler', null, null, a.granted_at),
      (2, 'started', 'running', 'worker ' || a.worker, null, null, a.started_at),
      (3, case a.outcome when 'finished' then 'finished' else 'requeued' end,
        case a.outcome when 'finished' then 'finished' else 'queued' end,
        case a.outcome when 'finished' then 'worker ' || a.worker else 'scheduler' end,
        case a.outcome when 'finished' then r.message else a.reason end, a.verdict, a.ended_at)
    ) as step(place, kind, state, actor, reason, verdict, at)
    where a.run_id = r.run_id
    union all
    select 0, 4, 'cancelled', 'finished', 'user ada', null, r.verdict, r.finished_at where r.cancelled
  ) fact
  where r.run_id between $1 and $2
  order by r.run_id, fact.attempt, fact.place`;

const DURATIONS = `
  insert into package_durations (arch, package, seconds, runs)
  select arch, name, seconds, 20 from generated_packages cross join unnest($1::text[]) arch
  on conflict (arch, package) do nothing`;

/** The statuses that pages read, as schedulers make them by and by. */
export async function keepStatuses(databaseUrl: string, architectures: string[]): Promise<void> {
  const database = await openDatabase(databaseUrl);
  try {
    for (const arch of architectures) while (await database.statusProjection.step(arch));
  } finally {
    await database.close();
  }
}
