import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far readers were told that nothing new comes, so that no clock that steps back makes anything new below it. */
export class HorizonMark1765000060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function raise_horizon()');
    await runner.query('drop table horizons');
    await runner.query('drop function run_clock()');
  }
}

const UP = [
  // The one clock of all runs, in one place: the planner puts the expression where it is called.
  `create function run_clock() returns timestamptz language sql volatile parallel safe
    as 'select clock_timestamp()'`,
  `create table horizons (
    is_single boolean primary key default true,
    second bigint not null,
    raised_at timestamptz not null,
    constraint horizons_single_check check (is_single)
  ) with (fillfactor = 10)`,
  `insert into horizons (second, raised_at) values (0, 'epoch')`,
  // With the rights of the owner: who may only read the tables is a reader of results too. It takes no arguments, so
  // nobody can raise it beyond the clock. While the clock is behind, a second every two: the clock will catch up.
  `create function raise_horizon() returns void language sql security definer
    begin atomic
      update horizons h set raised_at = drawn.clock,
        second = case when drawn.second > h.second then drawn.second else h.second + 1 end
      from (select run_clock() as clock offset 0) now
      cross join lateral (select now.clock, floor(extract(epoch from now.clock))::bigint as second) drawn
      where drawn.second > h.second
        or drawn.second < h.second and h.raised_at not between drawn.clock - interval '2 seconds' and drawn.clock;
    end`,
];
