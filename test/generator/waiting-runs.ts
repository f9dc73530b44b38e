import type { Submitter } from '@proctor/database';
import type { Client } from 'pg';
import { insertMany } from './bulk';
import { preparePackages } from './packages';
import { makePeople } from './people';

export interface WaitingRunsPlan {
  runs: number;
  /** Equal seeds give equal runs. */
  seed: number;
  suites: string[];
  architectures: string[];
  packages: number;
  backend: string;
  variant: string;
  /** When the last of them was submitted; the first came `days` before. */
  until: Date;
  days: number;
  /** Whose runs they are; people of their own when absent. */
  owners?: Submitter[];
  /** Whether dispatchers have had them in memory before. */
  takenIn: boolean;
}

/** Runs that wait, of all priorities, as many of each architecture; see `generateFinishedRuns`. */
export async function generateWaitingRuns(client: Client, plan: WaitingRunsPlan): Promise<void> {
  const owners = plan.owners ?? (await makePeople(client));
  await preparePackages(client, plan.packages, plan.seed);
  const { rows } = await client.query<{ last: string | null }>('select max(run_id) as last from runs');
  const before = Number(rows[0]!.last ?? 0);
  const values = [
    ...[before, plan.runs, plan.packages, plan.suites, plan.architectures, plan.until, plan.days],
    ...[
      owners.map(({ userId }) => userId),
      owners.map(({ keyId }) => keyId),
      plan.backend,
      plan.variant,
      plan.takenIn,
    ],
  ];
  await insertMany(client, ['runs'], plan.runs, (from, to) => client.query(RUNS, [...values, from, to]));
  await client.query(`select setval(pg_get_serial_sequence('runs', 'run_id'), $1)`, [before + plan.runs]);
}

const chance = (number: number): string => `pg_temp.chance(n, ${number})`;

/** The runs of the numbers $13 to $14, of $2 in all, after the run $1. */
const RUNS = `
  insert into runs (run_id, package, suite, arch, backend, variant, priority, trigger, pin_packages, extra_apt_sources,
    is_private, requestor_id, api_key_id, state, taken_in, created_at, updated_at)
  select $1::bigint + n, p.name, ($4::text[])[1 + floor(cardinality($4::text[]) * ${chance(30)})::integer],
    ($5::text[])[1 + (n - 1) % cardinality($5::text[])], $10::text, $11::text,
    case when ${chance(31)} < 0.7 then 5 else 1 + floor(10 * ${chance(32)})::integer end,
    p.friend || '/1.0-1', '[]', '[]', false, ($8::integer[])[owner], ($9::integer[])[owner], 'queued', $12::boolean, came, came
  from generate_series($13::bigint, $14::bigint) n
  cross join lateral (
    select floor($3::bigint * power(${chance(33)}, 2.5))::bigint as place,
      case when ${chance(34)} < 0.8 then 1
        else 1 + floor(cardinality($8::integer[]) * ${chance(35)})::integer end as owner,
      date_trunc('milliseconds', $6::timestamptz - make_interval(secs => $7::float8 * 86400 * (1 - n / $2::float8))) as came
  ) what
  join generated_packages p using (place)
  order by n`;
