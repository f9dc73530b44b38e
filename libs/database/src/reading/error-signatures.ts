import { Injectable } from '@nestjs/common';
import type { ErrorExcerpt } from '@proctor/contracts';
import { Database } from '../kit/database';
import { type RunRecord, selectRecords } from '../runs/run-columns';
import { AS_ASKED, type ListFilter, parametersOf } from '../kit/list-filter';
import {
  bigint,
  boolean,
  type ColumnsOf,
  integer,
  jsonb,
  selectList,
  type Statement,
  statement,
  text,
  time,
} from '../kit/statement';

/** The data of one error signature, from public runs. */
export interface SignatureSummary {
  signature: string;
  /** The number of runs with this signature, up to a limit. */
  count: number;
  /** Whether the limit was reached: SIGNATURE_RUNS_MAX, and LISTED_RUNS_MAX in a list. */
  isMore: boolean;
  /** The number of packages, and of suites with an architecture, among the newest of these runs. */
  packages: number;
  places: number;
  firstRunId: number;
  firstAt: Date;
  firstTrigger: string | null;
  lastRunId: number;
  lastAt: Date;
  lastPackage: string;
  /** The lines around the error in the newest run. */
  excerpt: ErrorExcerpt;
}

/** How many of the newest runs with a signature a package or place has. */
interface Seen {
  count: number;
  lastAt: Date;
}

export interface SignatureUse {
  /** The most frequent first. */
  packages: (Seen & { package: string })[];
  places: (Seen & { suite: string; arch: string })[];
}

/** `seen`: the most frequent recently first; `new`: the last to appear first. */
export type SignatureOrder = 'seen' | 'new';

/** The number of the newest runs of a signature that are counted. */
const SIGNATURE_RUNS_MAX = 1_000;
/** The number of runs that are counted in a list, which has many signatures. */
const LISTED_RUNS_MAX = 200;
/** The number of the newest errors that are searched for signatures, and the number of signatures that are compared. */
const ERRORS_LOOKED_AT_MAX = 8_000;
export const SIGNATURES_COMPARED_MAX = 500;

/** Errors that differ only in paths, numbers and the like, across packages. Private runs are ignored. */
@Injectable()
export class ErrorSignatures {
  constructor(private readonly database: Database) {}

  /**
   * The signatures of the newest errors that match.
   * @param from the number of signatures to skip; a list has at most SIGNATURES_COMPARED_MAX
   */
  list(order: SignatureOrder, limit: number, filter = ALL, from = 0): Promise<SignatureSummary[]> {
    return this.database.query(LISTS[order], [...parametersOf(filter), limit, from]);
  }

  /** The number of signatures in a list, the same in either order; at most SIGNATURES_COMPARED_MAX. */
  async count(filter: ListFilter): Promise<number> {
    const [row] = await this.database.query(COUNT, [...parametersOf(filter), SIGNATURES_COMPARED_MAX]);
    return row!.count;
  }

  /** The data of a signature; null if no public run has it. */
  async find(signature: string): Promise<SignatureSummary | null> {
    const [row] = await this.database.query(FIND, [signature]);
    return row ?? null;
  }

  async use(signature: string, limit: number): Promise<SignatureUse> {
    const [packages, places] = await Promise.all([
      this.database.query(PACKAGES, [signature, limit]),
      this.database.query(PLACES, [signature, limit]),
    ]);
    return { packages, places };
  }

  /**
   * The runs with a signature, newest first.
   * @param before only runs that are older than this one; if it is none of them, the list is empty
   */
  runs(signature: string, limit: number, before: number | null): Promise<RunRecord[]> {
    return before === null
      ? this.database.query(RUNS, [signature, limit])
      : this.database.query(RUNS_BEFORE, [signature, limit, before]);
  }
}

const ALL: ListFilter = { suites: null, architectures: null, package: null };

/** The SQL condition of a signature, in the form of the index `runs_alike`, because only its runs are counted. */
export const ofSignature = (signature: string): string =>
  `r.error_signature = ${signature} and r.state = 'finished' and not r.is_private`;
const NEWEST_FIRST = 'order by r.finished_at desc, r.run_id desc';

const SUMMARY_COLUMNS = {
  signature: text,
  count: integer.from('counted.count'),
  isMore: boolean.from('counted.is_more'),
  packages: integer.from('counted.packages'),
  places: integer.from('counted.places'),
  firstRunId: bigint.from('f.run_id'),
  firstAt: time.from('least(f.finished_at)'),
  firstTrigger: text.orNull.from('f.trigger'),
  lastRunId: bigint.from('l.run_id'),
  lastAt: time.from('least(l.finished_at)'),
  lastPackage: text.from('l.package'),
  excerpt: jsonb
    .as<ErrorExcerpt>()
    .from(`coalesce(l.error_excerpt, '{"firstLine": 1, "errorLine": 1, "lines": []}')`),
} satisfies ColumnsOf<SignatureSummary>;

const FIRST = `
  cross join lateral (
    select r.run_id, r.finished_at, r.trigger from runs r where ${ofSignature('s.signature')}
    order by r.finished_at, r.run_id limit 1
  ) f`;

/**
 * Joins the newest run and the counts of a signature.
 * @param condition a condition on `r`
 * @param runsMax the number of the newest runs that are counted
 */
const LAST_AND_COUNT = (condition: string, runsMax: number): string => `
  cross join lateral (
    select r.run_id, r.finished_at, r.package, r.error_excerpt from runs r where ${ofSignature('s.signature')} and ${condition}
    ${NEWEST_FIRST} limit 1
  ) l
  cross join lateral (
    select count(*)::integer as count, count(*) >= ${runsMax} as is_more,
      count(distinct n.package collate "C")::integer as packages,
      count(distinct n.suite || '/' || n.arch collate "C")::integer as places
    from (
      select r.package, r.suite, r.arch from runs r where ${ofSignature('s.signature')} and ${condition}
      ${NEWEST_FIRST} limit ${runsMax}
    ) n
  ) counted`;

const NEWEST_ERRORS = `(
        select r.error_signature, r.finished_at from runs r
        where r.error_signature is not null and r.state = 'finished' and not r.is_private and ${AS_ASKED('r')}
        ${NEWEST_FIRST} limit ${ERRORS_LOOKED_AT_MAX}
      )`;

function listed(order: SignatureOrder): Statement<SignatureSummary> {
  const [among, sorting] =
    order === 'seen'
      ? ['count(*) desc, max(n.finished_at) desc', 's.lately desc, s.last_at desc']
      : ['max(n.finished_at) desc', 'f.finished_at desc'];
  return statement(
    SUMMARY_COLUMNS,
    `
  select ${selectList(SUMMARY_COLUMNS, 's')}
  from (
    select s.signature, s.lately, s.last_at
    from (
      select least(n.error_signature) as signature, count(*) as lately, max(n.finished_at) as last_at
      from ${NEWEST_ERRORS} n
      group by n.error_signature order by ${among}, 1 limit ${SIGNATURES_COMPARED_MAX}
    ) s ${FIRST}
    order by ${sorting}, s.signature limit $4 offset $5
  ) s ${FIRST} ${LAST_AND_COUNT(AS_ASKED('r'), LISTED_RUNS_MAX)}
  order by ${sorting}, s.signature`,
  );
}

export const LISTS: Record<SignatureOrder, Statement<SignatureSummary>> = {
  seen: listed('seen'),
  new: listed('new'),
};

export const COUNT = statement(
  { count: integer },
  `
  select count(*)::integer as count
  from (select distinct n.error_signature from ${NEWEST_ERRORS} n limit $4) found`,
);

const FIND = statement(
  SUMMARY_COLUMNS,
  `select ${selectList(SUMMARY_COLUMNS, 's')} from (select $1::text as signature) s ${FIRST} ${LAST_AND_COUNT('true', SIGNATURE_RUNS_MAX)}`,
);

const SEEN = { count: integer, lastAt: time };
/** The newest runs with the signature $1. */
const NEWEST = `(select r.* from runs r where ${ofSignature('$1')} ${NEWEST_FIRST} limit ${SIGNATURE_RUNS_MAX}) n`;

const PACKAGES = statement(
  { package: text, ...SEEN },
  `
  select n.package, count(*)::integer as count, max(n.finished_at) as "lastAt" from ${NEWEST}
  group by n.package order by count(*) desc, max(n.finished_at) desc, n.package limit $2`,
);

const PLACES = statement(
  { suite: text, arch: text, ...SEEN },
  `
  select n.suite, n.arch, count(*)::integer as count, max(n.finished_at) as "lastAt" from ${NEWEST}
  group by n.suite, n.arch order by count(*) desc, n.suite, n.arch limit $2`,
);

const RUNS = selectRecords(`where ${ofSignature('$1')} ${NEWEST_FIRST} limit $2`);

const RUNS_BEFORE = selectRecords(`
  where ${ofSignature('$1')} and (r.finished_at, r.run_id) < (
    select r.finished_at, r.run_id from runs r where r.run_id = $3 and ${ofSignature('$1')})
  ${NEWEST_FIRST} limit $2`);
