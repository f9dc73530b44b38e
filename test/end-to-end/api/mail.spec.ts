import { systemClock } from '@proctor/clock';
import { MailSender, type MailOutcome } from '@apps/api/src/mail/mail-sender';
import { sendMail } from '@apps/api/src/mail/relay';
import { startApi, type RunningApi } from '@test/support/api';
import { apiConfiguration } from '@test/support/api-configuration';
import { Browser } from '@test/support/browser';
import { MailRelay, type TakenMail } from '@test/support/mail-relay';

const BASE = 'http://ci.example.org';
const HOUR_MS = 3_600_000;
const PAGE = '/user/alice/packages';

let relay: MailRelay;
let api: RunningApi;
let alice: Browser;
/** The time of day of the process that sends: it goes on by an hour with each pass. */
let now = 0;

beforeAll(async () => {
  relay = await MailRelay.start();
  api = await startApi({ server: server() });
  // It would send at the end of a real hour.
  await api.get(MailSender).beforeApplicationShutdown();
  await api.database.users.setPassword('alice', 'of alice');
  alice = new Browser(api.url);
  await alice.logIn('alice', 'of alice');
});
afterAll(async () => {
  await api.stop();
  await relay.stop();
});

function server() {
  const mail = {
    host: '127.0.0.1',
    port: relay.port,
    tls: 'none' as const,
    sender: 'ci@example.org',
    timeoutMs: 5_000,
  };
  return { publicUrl: BASE, serviceName: 'Tests & more', mail };
}

/** Another process sends all that is due an hour later. @returns the mails that the relay took, and how they ended */
async function pass(laterMs = HOUR_MS): Promise<{ mails: TakenMail[]; outcomes: MailOutcome[] }> {
  await settle();
  now = Math.max(now, Date.now()) + laterMs;
  const before = relay.mails.length;
  const outcomes: MailOutcome[] = [];
  const { mailAddresses, mailChanges, triggerRuns } = api.database;
  let sender: MailSender | undefined;
  await new Promise<void>((idle) => {
    sender = new MailSender({
      addresses: {
        claim: (by, time) => mailAddresses.claim(by, time),
        recordSent: (...how) => mailAddresses.recordSent(...how),
        // It waits now: for the next mail, or for the relay.
        nextDueMs: (time) => mailAddresses.nextDueMs(time).finally(idle),
        recordFailure: (...how) => mailAddresses.recordFailure(...how).finally(idle),
      },
      changes: mailChanges,
      triggers: triggerRuns,
      configuration: apiConfiguration(server()),
      clock: systemClock,
      now: () => new Date(now),
      send: (mail, to) => sendMail(mail, to, systemClock),
      random: () => 0.5,
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    sender.onApplicationBootstrap();
  });
  await sender?.beforeApplicationShutdown();
  return { mails: relay.mails.slice(before), outcomes };
}

/** Until all that was written so far is below the horizon. */
async function settle(): Promise<void> {
  const second = Math.floor(Date.now() / 1_000) + 1;
  while ((await api.database.runEvents.start(second)).horizon < second) await api.database.runEvents.raise();
}

async function fail(
  name: string,
  signature = 'aaaaaaaaaaaaaaaa',
  key?: string,
  isPrivate = false,
): Promise<number> {
  const runId = await api.submit(name, { is_private: isPrivate, trigger: 'glibc/2.42-3' }, key);
  const excerpt = { firstLine: 1, errorLine: 1, lines: [`E: ${name} <is> broken`] };
  await api.finish(runId, { verdict: 'fail', error: { signature, excerpt } });
  return runId;
}

const follow = (packages: string): Promise<Response> => alice.submit(PAGE, `${PAGE}/follow`, { packages });
const pathOf = (url: string): string => url.replace(BASE, '');
const linkIn = (mail: TakenMail, what: string): string =>
  pathOf(new RegExp(`${BASE}/mail/${what}/[\\w-]{43}`).exec(mail.text)![0]);

it('nothing but a link is sent to an address before it is confirmed, by a button and not by the link alone', async () => {
  await follow('hello');
  expect(
    (await alice.submit(PAGE, `${PAGE}/mail`, { address: 'ada@example.org\nBcc: x', period: 'hour' })).status,
  ).toBe(400);
  expect(
    (await alice.submit(PAGE, `${PAGE}/mail`, { address: 'ada@example.org', period: 'hour' })).status,
  ).toBe(303);
  expect(await alice.textOf(PAGE)).toContain('A mail with a link was sent to ada@example.org.');
  expect(
    (await alice.submit(PAGE, `${PAGE}/mail`, { address: 'eve@example.org', period: 'hour' })).status,
  ).toBe(429);
  await fail('hello', 'before the address was confirmed');
  const { mails } = await pass(0);
  const link = linkIn(mails[0]!, 'confirm');
  expect(mails).toMatchObject([
    {
      to: ['ada@example.org'],
      headers: { subject: 'Confirm your address for Tests & more', from: '"Tests & more" <ci@example.org>' },
    },
  ]);
  expect(mails[0]!.headers).not.toHaveProperty('list-unsubscribe');
  expect(await (await api.fetch(link)).text()).toContain('to ada@example.org?');
  expect((await pass()).mails).toEqual([]);
  expect((await api.fetch(link, { method: 'POST' })).status).toBe(200);
  expect((await api.fetch(link, { method: 'POST' })).status).toBe(404);
  expect(await alice.textOf(PAGE)).not.toContain('A mail with a link was sent');
});

it('a package that began to fail is mailed once for each error, and again when it passes', async () => {
  const runId = await fail('hello');
  const { mails } = await pass();
  expect(mails).toMatchObject([
    {
      to: ['ada@example.org'],
      headers: {
        'list-unsubscribe': `<${BASE}${linkIn(mails[0]!, 'unsubscribe')}>`,
        'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
      },
    },
  ]);
  const [{ text, html }] = mails as [TakenMail];
  for (const part of [`    E: hello <is> broken`, `${BASE}/runs/${runId}`, `${BASE}${PAGE}`])
    expect(text).toContain(part);
  expect(html).toContain('<code>E: hello &lt;is&gt; broken</code>');
  await fail('hello');
  expect(await pass()).toEqual({ mails: [], outcomes: [] });
  await fail('hello', 'bbbbbbbbbbbbbbbb');
  expect((await pass()).mails).toMatchObject([
    { headers: { subject: expect.stringContaining('fails in another way') } },
  ]);
  await api.finish(await api.submit('hello'), { verdict: 'pass' });
  expect((await pass()).mails).toMatchObject([
    { headers: { subject: 'hello 1.0-1 passes again on bookworm/amd64' } },
  ]);
});

it('a run and a trigger are mailed when they end; a private run to its owner alone, though another user follows it', async () => {
  const secret = await api.submit('secret-tool', { is_private: true, trigger: 'secret/1' }, api.keys.bob);
  const own = await api.submit('own-tool', { is_private: true, trigger: 'own/1' }, api.keys.aliceSecond);
  const { userId } = (await api.database.users.find('alice'))!;
  // As if she had been an administrator then.
  await api.database.follows.follow(userId, 'run', [String(secret), String(own)], 100);
  await api.database.follows.follow(userId, 'trigger', ['secret/1', 'own/1', 'sed/2'], 100);
  await api.database.follows.follow(userId, 'package', ['*'], 100);
  const [one, other] = [
    await api.submit('sed', { trigger: 'sed/2' }),
    await api.submit('awk', { trigger: 'sed/2' }),
  ];
  for (const runId of [secret, own, one]) await api.finish(runId, { verdict: 'pass' });
  const { mails } = await pass();
  expect(mails).toHaveLength(1);
  expect(mails[0]!.text).toContain(`Run ${own} of own-tool on bookworm/amd64 has ended: pass`);
  expect(mails[0]!.text).toContain('All tests of own/1 have ended');
  expect(mails[0]!.text).not.toMatch(/secret|sed\/2/);
  await api.finish(other, { verdict: 'pass' });
  expect((await pass()).mails).toMatchObject([{ headers: { subject: 'All tests of sed/2 have ended' } }]);
});

it('a relay that is away is tried again, its administrator reads why, and the mail comes once', async () => {
  const { port } = relay;
  await relay.stop();
  await fail('hello', 'cccccccccccccccc');
  expect((await pass()).outcomes).toEqual(['failed']);
  await api.adminKey();
  await api.database.users.setPassword('root', 'of root');
  const root = new Browser(api.url);
  await root.logIn('root', 'of root');
  expect(await root.textOf('/admin/')).toMatch(
    /The mail to one user could not be sent since [^<]*ECONNREFUSED/,
  );
  relay = await MailRelay.start(undefined, port);
  const { mails, outcomes } = await pass(2 * 60_000);
  expect([mails.length, outcomes]).toEqual([1, ['sent']]);
  expect((await pass()).mails).toEqual([]);
  expect(await root.textOf('/admin/')).not.toContain('could not be sent');
});

it('mails end by the button of their link, and by the POST of a mail program, which need no login', async () => {
  await fail('hello', 'dddddddddddddddd');
  const link = linkIn((await pass()).mails[0]!, 'unsubscribe');
  const page = await api.fetch(link);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(`action="${link}"`)]);
  // To look at it ends nothing, and the secret opens nothing else.
  await fail('hello', 'eeeeeeeeeeeeeeee');
  expect((await pass()).mails).toHaveLength(1);
  for (const other of [link.replace('unsubscribe', 'confirm'), `${link.slice(0, -1)}!`])
    expect((await api.fetch(other, { method: 'POST' })).status).toBe(404);
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  expect((await api.fetch(link, { method: 'POST', body })).status).toBe(200);
  await fail('hello', 'ffffffffffffffff');
  expect((await pass()).mails).toEqual([]);
  expect(await alice.textOf(PAGE)).toContain('<option value="none" selected>never</option>');
});

it('without a relay no mail is offered', async () => {
  const without = await startApi();
  await without.database.users.setPassword('alice', 'of alice');
  const browser = new Browser(without.url);
  await browser.logIn('alice', 'of alice');
  expect(await browser.textOf(PAGE)).not.toContain('<h2>Mail</h2>');
  await without.stop();
});
