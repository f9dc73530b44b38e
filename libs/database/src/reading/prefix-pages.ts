import { Injectable } from '@nestjs/common';
import { Database } from '../kit/database';
import { NAMED_PREFIX } from './public-statements';
import { integer, statement, text } from '../kit/statement';

/** The state of a package: the worst of the places that are considered. In the order of lists. */
export const PACKAGE_STATES = ['fail', 'tmpfail', 'flaky', 'stale', 'pass', 'untested'] as const;
export type PackageState = (typeof PACKAGE_STATES)[number];

/** A filter of the packages of a prefix; null matches all. */
export interface PrefixFilter {
  /** At least one place has this state. */
  state: PackageState | null;
  /** The places that are considered. */
  suite: string | null;
  arch: string | null;
  /** A package whose newest result is older than this is stale. */
  staleBefore: Date;
}

export interface PackageOfPrefix {
  name: string;
  state: PackageState;
}

/** A part of the packages of a prefix, and the number of all matching packages in each state. */
interface PrefixPart {
  packages: PackageOfPrefix[];
  counts: Record<PackageState, number>;
}

/** A place where packages of a prefix are tested, and how many fail there. */
export interface PrefixPlace {
  suite: string;
  arch: string;
  failing: number;
}

/**
 * The packages whose names begin with the same characters. Private runs, and names that only they made known, are
 * ignored.
 */
@Injectable()
export class PrefixPages {
  constructor(private readonly database: Database) {}

  /**
   * The packages of a prefix, the worst state first, and by name within a state.
   * @param after the last package of the part before
   */
  async part(
    prefix: string,
    { state, suite, arch, staleBefore }: PrefixFilter,
    limit: number,
    after: PackageOfPrefix | null,
  ): Promise<PrefixPart> {
    const rankOf = (each: PackageState): number => PACKAGE_STATES.indexOf(each);
    const [whole, rows] = await Promise.all([
      this.database.query(COUNTS, [prefix, suite, arch, staleBefore, state && rankOf(state)]),
      this.database.query(PART, [
        prefix,
        suite,
        arch,
        staleBefore,
        state && rankOf(state),
        limit,
        after ? rankOf(after.state) : -1,
        after?.name ?? '',
      ]),
    ]);
    const countOf = (each: PackageState): number =>
      whole.find(({ rank }) => rank === rankOf(each))?.packages ?? 0;
    return {
      packages: rows.map(({ name, rank }) => ({ name, state: PACKAGE_STATES[rank]! })),
      counts: {
        fail: countOf('fail'),
        tmpfail: countOf('tmpfail'),
        flaky: countOf('flaky'),
        stale: countOf('stale'),
        pass: countOf('pass'),
        untested: countOf('untested'),
      },
    };
  }

  /** The places of all packages of the prefix. */
  places(prefix: string, { suite, arch }: Pick<PrefixFilter, 'suite' | 'arch'>): Promise<PrefixPlace[]> {
    return this.database.query(PLACES, [prefix, suite, arch]);
  }
}

const AT_PLACE = '($2::text is null or s.suite = $2) and ($3::text is null or s.arch = $3)';
const OF_PREFIX = `p.is_public and ${NAMED_PREFIX('p.name')} = $1`;

/** The SQL of the index in PACKAGE_STATES. */
const RANK = `case when s.package is null then 5 when s.verdict = 'fail' then 0 when s.verdict = 'tmpfail' then 1
  when s.is_flaky then 2 when s.finished_at < $4::timestamptz then 3 else 4 end`;

const RANKED = `
  select p.name, min(${RANK}) as rank
  from packages p left join package_statuses s on s.package = p.name and ${AT_PLACE}
  where ${OF_PREFIX} group by p.name having $5::integer is null or bool_or(${RANK} = $5)`;

const COUNTS = statement(
  { rank: integer, packages: integer },
  `select least(rank) as rank, count(*)::integer as packages from (${RANKED}) ranked group by rank`,
);

const PART = statement(
  { name: text, rank: integer },
  `
  select name, least(rank) as rank from (${RANKED}) ranked where (rank, name) > ($7::integer, $8::text)
  order by rank, name limit $6`,
);

const PLACES = statement(
  { suite: text, arch: text, failing: integer },
  `
  select s.suite, s.arch, (count(*) filter (where s.verdict = 'fail'))::integer as failing
  from packages p join package_statuses s on s.package = p.name and ${AT_PLACE}
  where ${OF_PREFIX} group by s.suite, s.arch order by s.suite, s.arch`,
);
