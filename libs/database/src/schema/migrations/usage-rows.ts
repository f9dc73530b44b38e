import type { MigrationInterface, QueryRunner } from 'typeorm';

const USAGE = [
  `create table usage (
    arch text not null,
    user_id integer not null constraint usage_user_id_fkey references users on delete cascade,
    slot_ms double precision not null,
    at timestamptz(3) not null,
    primary key (arch, user_id)
  )`,
  // The last day is worth more than all before it, and is found by the index; by the default half-life.
  `insert into usage (arch, user_id, slot_ms, at)
    select r.arch, coalesce(r.retried_by, r.requestor_id), sum(
      greatest(0, extract(epoch from a.ended_at - a.granted_at)) * 1000
      * power(0.5, greatest(0, extract(epoch from now() - a.ended_at)) / 3600)
    ), now()
    from attempts a join runs r using (run_id) where a.ended_at > now() - interval '1 day' group by 1, 2`,
  // Nothing else looks for attempts by their end.
  'drop index attempts_ended',
  'alter table package_durations add column learned_at timestamptz(3) not null default now()',
];

const NO_USAGE = [
  'alter table package_durations drop column learned_at',
  'create index attempts_ended on attempts (ended_at) where ended_at is not null',
  'drop table usage',
];

/** What users have had of late is kept in rows: to count it took a look at each attempt of ten half-lives. */
export class UsageRows1764700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of USAGE) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of NO_USAGE) await runner.query(statement);
  }
}
