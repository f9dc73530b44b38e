import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { BusStrategy, connectBus, type Bus } from '@proctor/bus';
import { MESSAGE_BYTES_MAX, REQUEST_BYTES_MAX, REQUEST_PATTERNS, requestSubject } from '@proctor/contracts';
import { EmbeddedNats, findFreePort } from '@proctor/embedded';
import { natsClient } from '@test/support/nats-client';
import { TestUsers } from '@test/support/nats-users';
import { PATIENCE_MS, until } from '@test/support/until';

Logger.overrideLogger(false);

const WORKERS = ['w1', 'w2'].map((name) => ({ name, architectures: ['amd64'] }));
const SUBJECT = requestSubject('amd64', 'w1', 'return');
const INBOX = '_INBOX.w1.flood';

let folder: string;
let nats: EmbeddedNats;
let strategy: BusStrategy;
let other: Bus;
/** A client of w1 that says what it likes. */
let hostile: NatsConnection;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = join(String(process.env['PROCTOR_TEST_FOLDER']), `flooding-${randomUUID()}`);
  const port = await findFreePort();
  const users = new TestUsers(`${folder}-users`);
  const accounts = await users.prepare(`nats://127.0.0.1:${port}`, WORKERS);
  nats = new EmbeddedNats({
    folder,
    binary: String(process.env['PROCTOR_TEST_NATS_SERVER']),
    accounts,
    port,
  });
  await nats.start();
  const scheduler = await connectBus(await users.read('scheduler'), { makesStreams: true });
  ends.push(() => scheduler.close());
  await scheduler.prepareReports('amd64', ['w1', 'w2']);
  strategy = new BusStrategy(scheduler);
  let asks = 0;
  strategy.addHandler(REQUEST_PATTERNS.return, () => Promise.resolve({ count: (asks += 1) }));
  await strategy.serve('amd64');
  other = await connectBus(await users.read('w2'));
  ends.push(() => other.close());
  hostile = await natsClient(await users.read('w1'), { inboxPrefix: '_INBOX.w1' });
  ends.push(() => hostile.close());
});
afterAll(async () => {
  await strategy?.close();
  await Promise.all(ends.map((end) => end()));
  await nats?.stop();
  await rm(folder, { recursive: true, force: true });
  await rm(`${folder}-users`, { recursive: true, force: true });
});

const ask = () => other.request<{ count: number }>(requestSubject('amd64', 'w2', 'return'), {}, PATIENCE_MS);

/** How the flooding worker's request ended: `unserved` when no process listens. */
function fateOf(): Promise<'answered' | 'late' | 'unserved'> {
  return hostile.request(SUBJECT, '{}', { timeout: 500 }).then(
    () => 'answered',
    (error: Error) => (error.message.includes('no responders') ? 'unserved' : 'late'),
  );
}

it('a worker that floods gets the reason, and is ignored for a while; no request of others is lost', async () => {
  let warning = '';
  const answers = hostile.subscribe(INBOX, {
    callback: (_, message) => {
      if (message.string().includes('sends more than')) warning = message.string();
    },
  });
  let [isOver, answered] = [false, 0];
  const asking = (async () => {
    while (!isOver) answered += (await ask()).count > 0 ? 1 : 0;
  })();
  const flood = async (): Promise<boolean> => {
    for (let time = 0; time < 1_000; time += 1) hostile.publish(SUBJECT, '{}', { reply: INBOX });
    await hostile.flush();
    return (await fateOf()) === 'unserved';
  };
  expect(await until(flood)).toBe(true);
  await ask();
  isOver = true;
  await asking;
  expect(answered).toBeGreaterThan(0);
  expect(warning).toContain('worker w1 (amd64, return) sends more than 500 requests');
  answers.unsubscribe();
  // It is listened to again once it is quiet.
  expect(await until(async () => (await fateOf()) === 'answered')).toBe(true);
});

it('a request that is far too long is not read, and its sender learns that', async () => {
  const long = { unknown: 'x'.repeat(900_000) };
  expect(JSON.stringify(long).length).toBeLessThan(MESSAGE_BYTES_MAX);
  const refusal = other.request(requestSubject('amd64', 'w2', 'return'), long, PATIENCE_MS);
  await expect(refusal).rejects.toThrow(
    new RegExp(`the request has 9\\d{5} bytes, of at most ${REQUEST_BYTES_MAX.return}`),
  );
  expect((await ask()).count).toBeGreaterThan(0);
});
