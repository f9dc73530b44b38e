-- What the entities cannot say of the tables, and their first rows; see baseline.ts.

-- JSON numbers are exact up to 2^53 - 1.
alter sequence runs_run_id_seq maxvalue 9007199254740991;

-- Rows go in batches: what they leave behind is free again before it is a fifth of a large table.
alter table attempts set (autovacuum_vacuum_scale_factor = 0.02);
alter table facts set (autovacuum_vacuum_scale_factor = 0.02);
-- The lengths of queues are read from an index alone. For that, rows must be vacuumed soon after they were inserted:
-- by default a fifth of all runs ever would have to come first.
alter table runs set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
-- One row that is updated all the time.
alter table horizons set (fillfactor = 10);

insert into horizons (second, raised_at) values (0, 'epoch');
insert into webhook_progress (second) values (0);
insert into session_secrets (secret)
  select encode(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea), 'hex');

-- With the rights of the owner: who may only read the tables is a reader of results too. It takes no arguments, so
-- nobody can raise it beyond the clock. While the clock is behind, a second every two: the clock will catch up.
create function raise_horizon() returns void language sql security definer
  begin atomic
    update horizons h set raised_at = drawn.clock,
      second = case when drawn.second > h.second then drawn.second else h.second + 1 end
    from (select run_clock() as clock offset 0) now
    cross join lateral (select now.clock, floor(extract(epoch from now.clock))::bigint as second) drawn
    where drawn.second > h.second
      or drawn.second < h.second and h.raised_at not between drawn.clock - interval '2 seconds' and drawn.clock;
  end;
