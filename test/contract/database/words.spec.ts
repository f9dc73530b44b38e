import {
  ATTEMPT_OUTCOMES,
  DELIVERY_STATES,
  FACT_KINDS,
  FOLLOW_KINDS,
  KEY_SCOPES,
  MAIL_PERIODS,
  NOTE_SUBJECTS,
  RUN_STATES,
  PACKAGE_VERDICTS,
  TROUBLES,
  VERDICTS,
  WORKER_STANDINGS,
} from '@proctor/contracts';
import type { Client } from 'pg';
import { ORDER_KINDS } from '@libs/database/src/rows/order';
import { EXPIRY_MARKS, IMPORTED_KINDS } from '@libs/database/src/rows/upkeep';
import { connectTo, createTestDatabase, type TestDatabase } from '@test/support/database';

let testDatabase: TestDatabase;
let client: Client;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  client = await connectTo(testDatabase.url);
});
afterAll(async () => {
  await client.end();
  await testDatabase.drop();
});

const WORDS: Record<string, readonly string[]> = {
  api_keys_scope_check: KEY_SCOPES,
  runs_state_check: RUN_STATES,
  runs_verdict_check: VERDICTS,
  runs_trouble_check: TROUBLES,
  attempts_outcome_check: ATTEMPT_OUTCOMES,
  attempts_verdict_check: VERDICTS,
  facts_kind_check: FACT_KINDS,
  facts_state_check: RUN_STATES,
  facts_verdict_check: VERDICTS,
  orders_kind_check: ORDER_KINDS,
  package_statuses_verdict_check: PACKAGE_VERDICTS,
  package_statuses_previous_check: PACKAGE_VERDICTS,
  run_days_verdict_check: PACKAGE_VERDICTS,
  package_months_verdict_check: PACKAGE_VERDICTS,
  follows_kind_check: FOLLOW_KINDS,
  mail_addresses_period_check: MAIL_PERIODS,
  notes_subject_check: NOTE_SUBJECTS,
  imported_ids_kind_check: IMPORTED_KINDS,
  expiry_progress_name_check: EXPIRY_MARKS,
  webhook_deliveries_state_check: DELIVERY_STATES,
  worker_judgements_standing_check: WORKER_STANDINGS,
};

it.each(Object.entries(WORDS))(
  '%s allows the words that the product has, and no others',
  async (name, words) => {
    const { rows } = await client.query<{ definition: string }>(
      'select pg_get_constraintdef(oid) as definition from pg_constraint where conname = $1',
      [name],
    );
    const allowed = [...rows[0]!.definition.matchAll(/'([^']+)'::text/g)].map(([, word]) => word);
    expect(allowed.sort()).toEqual([...words].sort());
  },
);

it('every constraint that lists words is among those', async () => {
  const { rows } = await client.query<{ name: string }>(`
    select conname as name from pg_constraint
    where contype = 'c' and pg_get_constraintdef(oid) ~ '^CHECK \\(\\([a-z_]+ = ANY \\(ARRAY'`);
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(WORDS).sort());
});
