import { systemClock } from '@proctor/clock';
import { COMMAND_LINE } from '@proctor/database';
import { WebhookSender } from '@apps/api/src/webhooks/webhook-sender';
import type { WebhookMessage } from '@apps/api/src/webhooks/webhook-request';
import type { ApiConfiguration } from '@apps/api/src/configuration.token';
import { runRequest } from '@test/support/run-request';
import { silenceLog } from '@test/support/silent-log';
import { type Fixture, setUp } from './fixture';

silenceLog();

const EVENTS_PER_RUN = 4;
const RUNS = 8;
const WAITING_MAX = 20;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture?.close());

const everything = () => true;
const sender = (name: string) => ({ name, claimMs: 60_000 });
const pending = async (webhookId: number): Promise<number> =>
  (
    await fixture.database.webhookDeliveries.log(
      webhookId,
      { userId: fixture.submitter.userId, keyId: null },
      { state: 'pending' },
      1_000,
    )
  ).length;

async function webhook(path: string): Promise<number> {
  const { webhooks } = fixture.database;
  const settings = { url: `https://hooks.example.org/${path}`, description: '', filter: {}, keyId: null };
  const owner = { userId: fixture.submitter.userId, userName: 'ada' };
  return (await webhooks.add(settings, 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0', owner, 10))!;
}

/** Each run has as many events as there are; what is made of them waits. */
async function submitted(runs: number, events = EVENTS_PER_RUN): Promise<void> {
  const requests = Array.from({ length: runs }, (_, index) =>
    runRequest({ package: `p${index}`, suite: 'sid' }),
  );
  const runIds = await fixture.database.submissions.submit(requests, fixture.submitter);
  await fixture.client.query(
    `insert into facts (run_id, arch, suite, kind, state, attempt, actor, at)
     select run_id, arch, suite, kind, state, attempt, actor, at from facts, generate_series(2, $2)
     where run_id = any($1::bigint[])`,
    [runIds, events],
  );
}

/** Until so many deliveries were made: of an event they are made a second or two after it. */
async function makeDeliveries(count: number): Promise<void> {
  for (let sum = 0; sum < count;)
    sum += (await fixture.database.webhookEvents.step(everything, WAITING_MAX * 10))?.made ?? 0;
}

/** An api process that sends, without the network. */
function process(send: (message: WebhookMessage) => void, outcomes: string[] = []): WebhookSender {
  const webhooks = { timeoutMs: 20_000, mayBeHttp: false, allowedNetworks: [] };
  return new WebhookSender({
    deliveries: fixture.database.webhookDeliveries,
    configuration: { server: { neutral: 'pass', webhooks } } as unknown as ApiConfiguration,
    ownServices: () => new Set(),
    clock: systemClock,
    random: () => 0,
    onOutcome: (outcome) => outcomes.push(outcome),
    send: (message) => {
      send(message);
      return Promise.resolve({ status: 200, retryAfterMs: null, text: '', error: null, durationMs: 1 });
    },
  });
}

it('two processes that send at once deliver each event once, and those of a run in their order', async () => {
  const webhookIds = [await webhook('one'), await webhook('two'), await webhook('three')];
  await submitted(RUNS);
  await makeDeliveries(webhookIds.length * RUNS * EVENTS_PER_RUN);
  const sentIds = new Map<string, string[]>();
  const outcomes: string[] = [];
  const all = webhookIds.length * RUNS * EVENTS_PER_RUN;
  let finish = (): void => undefined;
  const isDone = new Promise<void>((resolve) => (finish = resolve));
  let count = 0;
  const send = ({ url, body }: WebhookMessage): void => {
    const { data } = JSON.parse(body) as { data: { id: string; run_id: number } };
    const of = `${url} ${data.run_id}`;
    sentIds.set(of, [...(sentIds.get(of) ?? []), data.id]);
    count += 1;
    if (count === all) finish();
  };
  const processes = [process(send, outcomes), process(send, outcomes)];
  for (const each of processes) each.onApplicationBootstrap();
  await isDone;
  for (const each of processes) await each.beforeApplicationShutdown();
  expect(outcomes).toEqual(Array.from({ length: all }, () => 'delivered'));
  expect(sentIds.size).toBe(webhookIds.length * RUNS);
  for (const ids of sentIds.values()) expect(ids.map((id) => id.split('.')[1])).toEqual(['1', '2', '3', '4']);
  expect(await Promise.all(webhookIds.map(pending))).toEqual([0, 0, 0]);
  const owner = { userId: fixture.submitter.userId, userName: 'ada' };
  for (const webhookId of webhookIds) await fixture.database.webhooks.remove(webhookId, owner);
});

it('what waits for a user who is disabled is not sent, is no trouble to a monitor, and is sent when they are enabled', async () => {
  const { database } = fixture;
  const webhookId = await webhook('kept');
  await submitted(1);
  await makeDeliveries(EVENTS_PER_RUN);
  expect(await database.vitals.read()).toMatchObject({
    webhooksPending: EVENTS_PER_RUN,
    webhooksDisabled: 0,
  });
  await database.users.setDisabled('ada', true, COMMAND_LINE);
  expect(await database.webhookDeliveries.claim(sender('a'))).toBeNull();
  expect(await database.vitals.read()).toMatchObject({ webhooksPending: 0, webhooksOldestSeconds: 0 });
  await database.users.setDisabled('ada', false, COMMAND_LINE);
  expect(await database.webhookDeliveries.claim(sender('a'))).toMatchObject({ webhookId });
  // Disabled while a delivery is sent: the next check of the claim ends it.
  await database.users.setDisabled('ada', true, COMMAND_LINE);
  expect(await database.webhookDeliveries.renew(webhookId, sender('a'))).toBeNull();
  await database.users.setDisabled('ada', false, COMMAND_LINE);
  expect((await database.vitals.read()).webhooksOldestSeconds).toBeGreaterThan(0);
  await database.webhooks.remove(webhookId, { userId: fixture.submitter.userId, userName: 'ada' });
});

/** As `api.webhooks.waitingMax` says. */
it('a webhook for which very many events wait is disabled, and one for which fewer do is not', async () => {
  const { database } = fixture;
  const webhookId = await webhook('slow');
  await submitted(WAITING_MAX + 1, 1);
  await makeDeliveries(WAITING_MAX + 1);
  const { userId } = fixture.submitter;
  expect(await database.webhooks.one(webhookId, userId)).toMatchObject({ disabledAt: null });
  await submitted(1, 1);
  for (let sum = 0; sum === 0;) sum = (await database.webhookEvents.step(everything, WAITING_MAX))?.made ?? 0;
  expect(await database.webhooks.one(webhookId, userId)).toMatchObject({
    disabledReason: expect.stringMatching(/^more than 20 events were waiting/),
  });
  expect(await database.vitals.read()).toMatchObject({ webhooksPending: 0, webhooksDisabled: 1 });
  await database.webhooks.remove(webhookId, { userId, userName: 'ada' });
});

/** As `api.webhooks.keptDays` says. */
it('deliveries that are old are removed, some at a time, and what waits stays', async () => {
  const { client, database } = fixture;
  const webhookId = await webhook('old');
  await client.query(
    `insert into webhook_deliveries (webhook_id, state, created_at, due_at)
     select $1, state, now() - make_interval(days => age), now()
     from unnest(array['delivered', 'failed', 'pending']) state, unnest(array[29, 31, 32]) age`,
    [webhookId],
  );
  const month = 30 * 86_400;
  expect(await database.webhookDeliveries.expire(month, 3)).toBe(3);
  expect(await database.webhookDeliveries.expire(month, 3)).toBe(1);
  expect(await database.webhookDeliveries.expire(month, 3)).toBe(0);
  const { rows } = await client.query<{ kept: string }>(
    `select string_agg(state, ' ' order by state) as kept from webhook_deliveries where webhook_id = $1`,
    [webhookId],
  );
  expect(rows[0]!.kept).toBe('delivered failed pending pending pending');
});

it('the webhooks of a user take few places at a time, so that others are served whatever they do', async () => {
  const { database, client } = fixture;
  const webhookIds: number[] = [];
  for (let count = 0; count < 10; count += 1) webhookIds.push(await webhook(`silent${count}`));
  const other = await database.users.add('bea', { isAdmin: false });
  const settings = { url: 'https://hooks.example.org/bea', description: '', filter: {}, keyId: null };
  const owner = { userId: other.userId, userName: 'bea' };
  const theirs = (await database.webhooks.add(
    settings,
    'whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0',
    owner,
    10,
  ))!;
  await submitted(1);
  await makeDeliveries((webhookIds.length + 1) * EVENTS_PER_RUN);
  const claimed: number[] = [];
  for (let look = 0; look < 16; look += 1) {
    const next = await database.webhookDeliveries.claim(sender('a'));
    if (next) claimed.push(next.webhookId);
  }
  expect(claimed).toContain(theirs);
  // WEBHOOKS_OF_USER_AT_ONCE_MAX
  expect(claimed.filter((id) => id !== theirs)).toHaveLength(3);
  // One that was given back leaves its place to another.
  const [first] = claimed.filter((id) => id !== theirs);
  await database.webhookDeliveries.release(first!, 'a');
  const next = await database.webhookDeliveries.claim(sender('a'));
  expect(webhookIds.filter((id) => !claimed.includes(id))).toContain(next?.webhookId);
  await client.query('delete from webhooks where webhook_id = any($1)', [[...webhookIds, theirs]]);
});
