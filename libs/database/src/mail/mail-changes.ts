import { Injectable } from '@nestjs/common';
import type { Verdict } from '@proctor/contracts';
import { Database } from '../kit/database';
import { horizon, raiseHorizon } from '../kit/horizon';
import { likeOf } from '../kit/list-filter';
import { bigint, boolean, type ColumnsOf, selectList, statement, text } from '../kit/statement';
import { seenBy } from '../runs/run-search';
import { hasWord } from '../reading/trigger-statements';
import { countsForStatus } from '../statuses/status-statements';

/** The newest result of a followed package on a suite and architecture, and the one before these changes. */
export interface PlaceChange {
  runId: number;
  package: string;
  suite: string;
  arch: string;
  version: string;
  verdict: Verdict;
  errorSignature: string | null;
  /** Null: there is no earlier result. */
  verdictBefore: Verdict | null;
  errorSignatureBefore: string | null;
}

/** A followed run that has ended. */
export interface EndedRun {
  runId: number;
  package: string;
  suite: string;
  arch: string;
  verdict: Verdict;
  cancelled: boolean;
}

/** What has happened to what a user follows. */
export interface FollowedChanges {
  /** All changes before this time are in it. */
  until: Date;
  places: PlaceChange[];
  runs: EndedRun[];
  /** Triggers with an end of a run, and without a run that has not ended. */
  triggers: string[];
}

/** The user who follows: what they may read at this moment counts. */
interface MailReader {
  userId: number;
  userName: string;
  isAdmin: boolean;
}

/** Older changes are not mailed: a relay may have been away for long. */
const DAYS_MAX = 7;
/** How many changes of packages are read for one mail; the rest is left out. */
const PLACES_READ_MAX = 1_000;

/** Finds what has changed for what users follow. */
@Injectable()
export class MailChanges {
  constructor(private readonly database: Database) {}

  /**
   * The changes from a time on, up to the horizon: nothing is added below it, so that the next mail begins there and
   * misses nothing.
   */
  async since(from: Date, { userId, userName, isAdmin }: MailReader): Promise<FollowedChanges> {
    const until = await this.horizon();
    const oldest = new Date(Math.max(from.getTime(), until.getTime() - DAYS_MAX * 86_400_000));
    const names = await this.database.query(PACKAGES, [userId]);
    const wild = names.filter(({ name }) => name.includes('*')).map(({ name }) => likeOf(name));
    const plain = names.filter(({ name }) => !name.includes('*')).map(({ name }) => name);
    const reader = [isAdmin, null, userName];
    const [places, runs, triggers] = await Promise.all([
      names.length === 0 ? [] : this.database.query(PLACES, [oldest, until, plain, wild, PLACES_READ_MAX]),
      this.database.query(RUNS, [oldest, until, ...reader, userId]),
      this.database.query(TRIGGERS, [oldest, until, ...reader, userId]),
    ]);
    return {
      until: until > from ? until : from,
      places,
      runs,
      triggers: triggers.map(({ name }) => name),
    };
  }

  private async horizon(): Promise<Date> {
    if ((await horizon(this.database)).canRise) await raiseHorizon(this.database);
    return new Date((await horizon(this.database)).second * 1_000);
  }
}

const PACKAGES = statement(
  { name: text },
  `select name from follows where user_id = $1 and kind = 'package'`,
);

/** The condition of runs that ended in the time from $1 to $2. The end is at most a little before `updated_at`. */
const IS_RECENT = `r.state = 'finished' and r.finished_at >= $1::timestamptz - interval '10 minutes'
    and r.updated_at >= $1 and r.updated_at < $2::timestamptz`;

const isResult = (r: string): string =>
  `${r}.verdict in ('pass', 'neutral', 'fail') and ${countsForStatus(r)}`;

const PLACE_COLUMNS = {
  runId: bigint,
  package: text,
  suite: text,
  arch: text,
  version: text.from('least(r.version)'),
  verdict: text.as<Verdict>().from('least(r.verdict)'),
  errorSignature: text.orNull,
  verdictBefore: text.as<Verdict>().orNull.from('before.verdict'),
  errorSignatureBefore: text.orNull.from('before.error_signature'),
} satisfies ColumnsOf<PlaceChange>;

const PLACES = statement(
  PLACE_COLUMNS,
  `
  select ${selectList(PLACE_COLUMNS, 'r')}
  from (
    select distinct on (r.suite, r.arch, r.package) r.* from runs r
    where ${IS_RECENT} and not r.is_private and ${isResult('r')}
      and (r.package = any($3::text[]) or r.package like any($4::text[]))
    order by r.suite, r.arch, r.package, r.finished_at desc, r.run_id desc
  ) r
  left join lateral (
    select b.verdict, b.error_signature from runs b
    where b.suite = r.suite and b.arch = r.arch and b.package = r.package and ${isResult('b')} and b.updated_at < $1
    order by b.finished_at desc, b.run_id desc limit 1
  ) before on true
  where r.verdict = 'fail' or before.verdict = 'fail'
  order by r.finished_at desc, r.run_id desc limit $5`,
);

const RUN_COLUMNS = {
  runId: bigint,
  package: text,
  suite: text,
  arch: text,
  verdict: text.as<Verdict>().from('least(r.verdict)'),
  cancelled: boolean,
} satisfies ColumnsOf<EndedRun>;

const RUNS = statement(
  RUN_COLUMNS,
  `
  select ${selectList(RUN_COLUMNS, 'r')}
  from follows f join runs r on r.run_id = case when f.kind = 'run' then f.name::bigint end
  where f.user_id = $6 and ${IS_RECENT} and ${seenBy(3)}
  order by r.run_id`,
);

const TRIGGERS = statement(
  { name: text },
  `
  select f.name from follows f cross join lateral (
    select count(*) filter (where r.state <> 'finished') as unfinished, max(r.finished_at) as ended_at,
      max(r.updated_at) as updated_at
    from runs r where ${hasWord('r', 'f.name')} and ${seenBy(3)}
  ) runs
  where f.user_id = $6 and f.kind = 'trigger' and runs.unfinished = 0
    and runs.ended_at >= $1::timestamptz - interval '10 minutes' and runs.updated_at >= $1 and runs.updated_at < $2::timestamptz
  order by f.name`,
);
