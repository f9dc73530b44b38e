import { startApi, type RunningApi } from '@test/support/api';
import { apiConfiguration } from '@test/support/api-configuration';
import { EventClient } from '@test/support/event-client';

/** Limits for one user: small, so that a few requests reach them. */
const LIMITS = {
  followedPackagesMax: 2,
  noteLengthMax: 10,
  noteBugsMax: 2,
  notesPerPackageMax: 1,
  bulkRunsMax: 2,
  webhooks: { perUserMax: 1 },
  events: { connectionsMax: 1 },
};

let api: RunningApi;
beforeAll(async () => {
  const { webhooks, events } = apiConfiguration().server;
  api = await startApi({
    server: {
      ...LIMITS,
      webhooks: { ...webhooks, ...LIMITS.webhooks },
      events: { ...events, ...LIMITS.events },
    },
  });
  const runId = await api.submit('hello', { trigger: 'many/1' });
  await api.finish(runId, { verdict: 'fail' });
  for (const name of ['one', 'two', 'three']) await api.submit(name, { trigger: 'many/2' });
});
afterAll(() => api.stop());

async function post(path: string, body: object): Promise<{ status: number; text: string }> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await api.api(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

it('a user follows no more packages than followedPackagesMax', async () => {
  expect((await post('/followed', { packages: ['a0', 'b0'] })).status).toBe(200);
  expect(await post('/followed', { packages: ['c0'] })).toMatchObject({
    status: 400,
    text: expect.stringContaining('You may follow 2 packages, patterns, runs and triggers'),
  });
});

it.each([
  ['noteLengthMax', { text: 'x'.repeat(11) }, 400, 'a text of 1 to 10 characters'],
  ['noteBugsMax', { text: 'x', bugs: ['1', '2', '3'] }, 400, 'names 3 bugs; a note may name 2'],
  ['notesPerPackageMax', { text: 'x' }, 409, 'You have 1 notes on hello already'],
])('a note is within %s', async (_, note, status, text) => {
  // The first of them is the one note that there may be.
  await post('/notes', { package: 'hello', text: 'the first' });
  expect(await post('/notes', { package: 'hello', ...note })).toMatchObject({
    status,
    text: expect.stringContaining(text),
  });
});

it('a request changes at most bulkRunsMax runs of a trigger, and says how many are left', async () => {
  const { status, text } = await post('/triggers/many/2/cancel', { group: 'waiting' });
  expect([status, JSON.parse(text)]).toMatchObject([200, { left: 1 }]);
});

it('a user has no more webhooks than webhooks.perUserMax', async () => {
  expect((await post('/webhooks', { url: 'https://receiver.example/1' })).status).toBe(201);
  expect(await post('/webhooks', { url: 'https://receiver.example/2' })).toMatchObject({
    status: 409,
    text: expect.stringContaining('You have 1 webhooks'),
  });
});

it('at most events.connectionsMax clients follow events, whatever their users', async () => {
  const client = new EventClient((init) => api.api('/events', init));
  await client.open();
  const second = await api.api('/events', {}, api.keys.bob);
  expect(second.status).toBe(503);
  await second.body?.cancel();
  await client.close();
});
