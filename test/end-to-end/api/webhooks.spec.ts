import { SUBJECTS } from '@proctor/contracts';
import { startApi, type RunningApi } from '@test/support/api';
import { hiddenIn } from '@test/support/browser';
import { WebhookReceiver } from '@test/support/webhook-receiver';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = new WebhookReceiver();
  await receiver.open();
});
afterEach(() => receiver.close());

type Body = Record<string, unknown>;

async function ask(path: string, body: Body = {}, key = api.keys.alice) {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await api.api(`/webhooks${path}`, init, key);
  return {
    status: response.status,
    answer: (await response.json()) as Body & { id: number; secret: string },
  };
}

/** A webhook to the receiver. */
async function webhook(settings: Body = {}, key = api.keys.alice): Promise<number> {
  const { status, answer } = await ask('', { url: receiver.url, ...settings }, key);
  expect([status, answer]).toEqual([201, expect.objectContaining({ enabled: true, waiting: 0 })]);
  receiver.secret = answer.secret;
  return answer.id;
}

const readJson = async (path: string, key = api.keys.alice) =>
  (await api.api(`/webhooks${path}`, {}, key)).json();

type Log = { deliveries: { id: number; state: string; error: string | null; status: number | null }[] };
const logOf = async (id: number): Promise<Log['deliveries']> =>
  ((await readJson(`/${id}/deliveries`)) as Log).deliveries;

async function untilLogged(id: number, state: string): Promise<Log['deliveries'][number]> {
  for (;;) {
    const match = (await logOf(id)).find((delivery) => delivery.state === state);
    if (match) return match;
  }
}

it('a webhook is sent what its user wants to know, signed, in the order of the run, once', async () => {
  const kinds = ['requested', 'granted', 'started', 'finished'];
  const id = await webhook({ package: ['notified'], kinds });
  await api.finish(await api.submit('other'));
  const runId = await api.submit('notified', { trigger: 'glibc/2.40-4' });
  await api.finish(runId, { verdict: 'fail' });
  api.bus.signal(SUBJECTS.resultsChanged, {});
  await receiver.until((received) => received.length === 4);
  expect(receiver.received.map(({ type, data }) => [type, data.id])).toEqual(
    kinds.map((kind, place) => [`run.${kind}`, `${runId}.${place + 1}`]),
  );
  expect(receiver.received.at(-1)!.data).toMatchObject({ package: 'notified', status: 'fail', schema: 1 });
  await untilLogged(id, 'delivered');
  expect(receiver.refused).toEqual([]);
});

it('a private run is sent to the webhook of its key that was made for private runs, and to no other', async () => {
  const others = new WebhookReceiver();
  await others.open();
  for (const [settings, key] of [
    [{}, api.keys.alice],
    [{ private: true }, api.keys.aliceSecond],
    [{ private: true }, api.keys.bob],
  ] as const) {
    const { answer } = await ask('', { url: others.url, kinds: ['requested'], ...settings }, key);
    others.secret = answer.secret;
  }
  await webhook({ private: true, kinds: ['requested'] });
  const hidden = await api.submit('hidden', { is_private: true });
  await receiver.until((received) => received.some(({ data }) => data.run_id === hidden));
  const open = await api.submit('open');
  await others.until((received) => received.some(({ data }) => data.run_id === open));
  expect(others.bodies.join()).not.toContain(`"run_id":${hidden}`);
  await others.close();
});

it('another key of its user reads nothing of private runs in the log of a webhook', async () => {
  const id = await webhook({ private: true, kinds: ['requested'] });
  const [hidden, open] = [await api.submit('hidden', { is_private: true }), await api.submit('open')];
  await receiver.until((received) => received.length === 2);
  const logged = async (key: string) =>
    ((await readJson(`/${id}/deliveries`, key)) as { deliveries: { id: number; run_id: number }[] })
      .deliveries;
  const own = await logged(api.keys.alice);
  expect(own.map(({ run_id: runId }) => runId)).toEqual([open, hidden]);
  expect((await logged(api.keys.aliceSecond)).map(({ run_id: runId }) => runId)).toEqual([open]);
  const again = `/${id}/deliveries/${own[1]!.id}/redeliver`;
  expect((await ask(again, {}, api.keys.aliceSecond)).status).toBe(404);
  expect((await ask(again)).status).toBe(202);
});

it('what a webhook refuses comes again, is held in order, and is redelivered and recovered with the same id', async () => {
  const id = await webhook({ package: ['again'], kinds: ['requested', 'granted'] });
  let refusals = 1;
  receiver.reply = () => ({ status: refusals-- > 0 ? 503 : 200, body: 'busy' });
  await api.start(await api.submit('again'));
  await receiver.until((received) => received.length >= 1);
  const waiting = await untilLogged(id, 'pending');
  // Not now: its turn is in five seconds, and that of the other behind it.
  await receiver.until((received) => received.length === 3);
  expect(receiver.received.map(({ data }) => data.kind)).toEqual(['requested', 'requested', 'granted']);
  expect(receiver.received[0]!.id).toBe(receiver.received[1]!.id);
  const { status } = await ask(`/${id}/deliveries/${waiting.id}/redeliver`);
  expect(status).toBe(202);
  await receiver.until((received) => received.length === 4);
  const now = Math.floor(Date.now() / 1_000);
  const recovered = await ask(`/${id}/recover`, { since: now - 3_600 });
  expect([recovered.status, recovered.answer]).toMatchObject([202, { again: 0, made: 0, until: null }]);
});

it('a webhook that says it is gone is disabled, and recovers what it did not get', async () => {
  const id = await webhook({ package: ['gone'], kinds: ['requested'] });
  receiver.reply = () => ({ status: 410 });
  await api.submit('gone');
  await untilLogged(id, 'failed');
  expect(await readJson(`/${id}`)).toMatchObject({
    enabled: false,
    disabled_reason: 'it has answered that it is gone (410)',
  });
  expect((await ask(`/${id}/ping`)).status).toBe(409);
  const missed = await api.submit('gone');
  receiver.reply = () => ({ status: 200 });
  const settings = { url: receiver.url, package: ['gone'], kinds: ['requested'], enabled: true };
  expect((await ask(`/${id}`, settings)).answer).toMatchObject({ enabled: true, disabled_reason: null });
  await ask(`/${id}/recover`, { since: Math.floor(Date.now() / 1_000) - 3_600 });
  await receiver.until((received) => received.some(({ data }) => data.run_id === missed));
});

it('a test is sent at once, and the old secret signs too after another was made', async () => {
  const id = await webhook();
  const old = receiver.secret;
  const { answer } = await ask(`/${id}/rotate`);
  expect(answer.secret).not.toBe(old);
  await ask(`/${id}/ping`);
  await receiver.until((received) => received.length === 1);
  receiver.secret = answer.secret;
  await ask(`/${id}/ping`);
  await receiver.until((received) => received.length === 2);
  expect(receiver.received.map(({ type }) => type)).toEqual(['ping', 'ping']);
  expect(JSON.stringify(await readJson(''))).not.toContain('whsec_');
});

it.each([
  ['https://10.1.2.3/', 'the address is not on the public Internet'],
  ['https://[::ffff:127.0.0.1]/', 'the address is not on the public Internet'],
  ['http://169.254.169.254/latest', 'the address is not on the public Internet'],
])('nothing is sent to %s: %s', async (url, error) => {
  const { answer } = await ask('', { url });
  await ask(`/${answer.id}/ping`);
  let errorText = '';
  while (errorText === '')
    errorText = (await logOf(answer.id)).find((one) => one.error !== null)?.error ?? '';
  expect(errorText).toBe(error);
  await api.api(`/webhooks/${answer.id}`, { method: 'DELETE' });
});

it('a redirection is not followed, and is a failure', async () => {
  const id = await webhook();
  receiver.reply = () => ({ status: 302, headers: { Location: `${receiver.url}/elsewhere` } });
  await ask(`/${id}/ping`);
  await receiver.until((received) => received.length === 1);
  let delivery: Log['deliveries'][number] | undefined;
  while (!delivery?.error) [delivery] = await logOf(id);
  expect([delivery.status, delivery.error, receiver.received.length]).toEqual([302, 'the answer was 302', 1]);
});

it.each<[string, Body, RegExp]>([
  ['an address of the service', { url: 'https://ci.example.org/' }, /it is of this service itself/],
  ['a password in the address', { url: 'https://a:b@hooks.example.org/' }, /a user or a password/],
  ['no address', { description: 'x' }, /url is missing/],
  ['an unknown kind', { url: 'https://hooks.example.org/', kinds: ['gone'] }, /kinds must be of/],
  [
    'half a surrogate pair',
    { url: 'https://hooks.example.org/', trigger: '\ud800' },
    /trigger must be a trigger, not/,
  ],
  ['an unknown field', { url: 'https://hooks.example.org/', secret: 'x' }, /"secret" is unknown/],
])('a webhook is refused with %s', async (_what, body, detail) => {
  const { status, answer } = await ask('', body);
  expect([status, answer['detail']]).toEqual([400, expect.stringMatching(detail)]);
});

it('a webhook is there for its user alone, and a user has at most so many', async () => {
  const id = await webhook({}, api.keys.bob);
  for (const path of [`/${id}`, `/${id}/deliveries`, '/999999'])
    expect((await api.api(`/webhooks${path}`)).status).toBe(404);
  for (const path of [`/${id}`, `/${id}/rotate`, `/${id}/ping`, `/${id}/recover`])
    expect((await ask(path, { url: receiver.url, since: 0 })).status).toBeGreaterThanOrEqual(400);
  const refusal = await api.api(`/webhooks/${id}`, { method: 'DELETE' });
  expect(refusal.status).toBe(404);
  let status = 201;
  for (let count = 0; count < 11 && status === 201; count += 1)
    ({ status } = await ask('', { url: receiver.url }, api.keys.bob));
  expect(status).toBe(409);
});

it('a user makes a webhook, reads its secret once, tests it and removes it', async () => {
  const alice = await api.logIn('alice');
  const bob = await api.logIn('bob');
  const token = hiddenIn(await alice.textOf('/user/alice/webhooks'))['form_token']!;
  expect((await bob.get('/user/alice/webhooks')).status).toBe(403);
  expect((await alice.post('/user/alice/webhooks', { url: 'https://192.0.2.1/' })).status).toBe(403);
  const url = 'https://192.0.2.1/hook';
  const fields = {
    form_token: token,
    url,
    package: 'hello,figlet',
    status: '',
    kinds: 'finished',
    suite: '',
  };
  const refusal = await alice.post('/user/alice/webhooks', { ...fields, url: 'https://me@192.0.2.1/' });
  expect([refusal.status, await refusal.text()]).toEqual([
    400,
    expect.stringContaining('a user or a password'),
  ]);
  const answer = await alice.post('/user/alice/webhooks', fields);
  expect([answer.status, await answer.text()]).toEqual([
    201,
    expect.stringMatching(/<code id="secret">whsec_/),
  ]);
  const page = await alice.textOf('/user/alice/webhooks');
  expect(page).toContain('finished; of hello, figlet');
  expect(page).not.toContain('whsec_');
  const own = /href="(\/user\/alice\/webhooks\/\d+)">https:\/\/192/.exec(page)![1]!;
  const form = { form_token: token, url, package: 'dash', suite: '', mine: 'true' };
  expect((await alice.post(own, form)).status).toBe(303);
  expect(await alice.textOf(own)).toMatch(
    /finished, corrected, cancelled, superseded; of dash; of your runs\./,
  );
  expect((await alice.post(own, { ...form, url: 'https://me@192.0.2.1/' })).status).toBe(400);
  expect((await bob.post(own.replace('alice', 'bob'), form)).status).toBe(403);
  expect((await alice.post(`${own}/ping`, { form_token: token })).status).toBe(303);
  expect(await alice.textOf(own)).toMatch(/Send delivery \d+ again/);
  const odd = await alice.get(`${own}?before=x`);
  expect([odd.status, await odd.text()]).toEqual([
    400,
    expect.stringContaining('before must be the id of a delivery, not &quot;x&quot;.'),
  ]);
  expect((await bob.get(own.replace('alice', 'bob'))).status).toBe(404);
  expect((await alice.post(`${own}/disable`, { form_token: token })).status).toBe(303);
  expect(await alice.textOf(own)).toContain('disabled by its user');
  expect((await alice.post(`${own}/enable`, { form_token: token })).status).toBe(303);
  expect((await alice.post(`${own}/remove`, { form_token: token })).status).toBe(303);
  expect(await alice.textOf('/user/alice/webhooks')).not.toContain(own);
});
