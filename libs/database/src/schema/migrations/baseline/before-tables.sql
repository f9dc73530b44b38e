-- What the tables refer to; see baseline.ts.

-- The number of the transaction that writes a row: by it dispatchers find new runs.
create function current_transaction() returns bigint
  language sql volatile parallel unsafe as 'select pg_current_xact_id()::text::bigint';

-- The one clock of all runs, in one place: the planner puts the expression where it is called.
create function run_clock() returns timestamptz
  language sql volatile parallel safe as 'select clock_timestamp()';

-- Ids of packages that only private runs made known.
create sequence private_package_ids as integer increment -1 maxvalue -1 start -1;
