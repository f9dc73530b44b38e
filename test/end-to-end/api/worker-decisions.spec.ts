import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser, hiddenIn } from '@test/support/browser';

let api: RunningApi;
let admin: Browser;

beforeAll(async () => {
  api = await startApi();
  await api.database.users.add('root', { isAdmin: true, password: 'of root' });
  admin = new Browser(api.url);
  await admin.logIn('root', 'of root');
});
afterAll(() => api.stop());

function registered(name: string): Promise<unknown> {
  // A key is one worker's own.
  const publicKey = `U${name
    .replaceAll(/[^A-Z2-7]/gi, '')
    .toUpperCase()
    .padEnd(55, 'A')}`;
  const worker = { name, publicKey, architectures: ['amd64'], mayRunPrivate: false };
  return api.database.workerRegister.add(worker, { userId: 1, userName: 'alice' });
}

it('workers are drained, given runs again and looked at on their pages', async () => {
  await registered('w1');
  const [page, action] = ['/status/workers/w1', '/admin/workers/w1'];
  const drained = await admin.submit(page, `${action}/drain`, { reason: 'new <disks>' });
  expect(drained.headers.get('location')).toBe(page);
  const once = await admin.textOf(page);
  expect(once).toMatch(/Drained by root since <time .*<\/time>: new &lt;disks&gt;\./);
  expect(once).toContain('role="status">w1 gets no new runs.</p>');
  expect(await admin.textOf(page)).not.toContain('w1 gets no new runs.');
  expect(await (await new Browser(api.url).get(page)).text()).not.toMatch(
    /<form method="post" action="\/admin/,
  );
  expect((await admin.submit(page, `${action}/undrain`, { reason: '' })).status).toBe(303);
  const answer = await admin.submit(page, `${action}/revoke`);
  expect(await answer.text()).toContain('0 tests that run on it are stopped');
  expect((await admin.get('/status/workers/ghost')).status).toBe(404);
});

it('where no worker can be added, the page says why and what to set, and has no form', async () => {
  const html = await admin.textOf('/admin/workers/');
  expect(html).toContain('No worker can be added here: PROCTOR_NATS_USERS is not set.');
  expect(html).not.toContain('action="/admin/workers"');
  const { form_token: token = '' } = hiddenIn(await admin.textOf('/admin/users/'));
  const added = await admin.post('/admin/workers', { form_token: token, name: 'w2', architectures: 'amd64' });
  expect([added.status, await added.text()]).toEqual([
    409,
    expect.stringContaining('`proctor worker add w2`'),
  ]);
});

it('a worker is drained with a deadline, after which others get what it executes, and a wrong one is explained', async () => {
  await registered('w3');
  const [page, action] = ['/status/workers/w3', '/admin/workers/w3'];
  const drain = (minutes: string): Promise<Response> =>
    admin.submit(page, `${action}/drain`, { reason: 'new disks', deadline_minutes: minutes });
  for (const wrong of ['0', '1.5', '43201', 'soon']) {
    const refusal = await drain(wrong);
    expect([wrong, refusal.status, await refusal.text()]).toEqual([
      ...[wrong, 400],
      expect.stringContaining('Must be a whole number from 1 to 43200, or empty'),
    ]);
  }
  expect((await drain('90')).headers.get('location')).toBe(page);
  const [drained] = (await api.database.decisions.drains()).filter(({ worker }) => worker === 'w3');
  expect(drained!.deadline!.getTime() - Date.parse(drained!.since)).toBe(90 * 60_000);
  expect(await admin.textOf(page)).toMatch(
    new RegExp(`Runs that have not finished <time datetime="${drained!.deadline!.toISOString()}"`),
  );
  expect((await admin.submit(page, `${action}/undrain`, { reason: '' })).status).toBe(303);
});

it('a worker is quarantined on its page, for a reason that the audit log has, and declared sound again', async () => {
  await registered('w4');
  const [page, action] = ['/status/workers/w4', '/admin/workers/w4'];
  const { form_token: ofPage = '' } = hiddenIn(await admin.textOf(page));
  const quarantine = (reason: string) => admin.post(`${action}/quarantine`, { form_token: ofPage, reason });
  const blank = await quarantine(' ');
  expect([blank.status, await blank.text()]).toEqual([
    400,
    expect.stringContaining('id="drain-reason-mistake">Must be'),
  ]);
  const quarantined = await quarantine('odd <failures>');
  expect([quarantined.status, quarantined.headers.get('location')]).toEqual([303, page]);
  const token = ofPage;
  const refusal = await admin.post('/admin/workers/ghost/quarantine', { form_token: token, reason: 'x' });
  expect([refusal.status, await refusal.text()]).toEqual([
    404,
    expect.stringContaining('No worker ghost is registered'),
  ]);
  expect(await api.database.auditLog.list({ subject: 'worker w4', user: 'root' }, 9, null)).toMatchObject([
    { action: 'worker-quarantined', detail: 'odd <failures>', user: 'root' },
  ]);
  await api.commit([{ kind: 'judge-worker', worker: 'w4', standing: 'quarantined', reason: 'x' }]);
  const trust = { form_token: token, reason: 'repaired' };
  expect((await admin.post(`${action}/trust`, trust)).status).toBe(303);
});

it('a worker is drained and gets runs again in its row of the list, where the answer and mistakes are shown', async () => {
  await registered('w5');
  const [list, action] = ['/status/workers/', '/admin/workers/w5'];
  const send = (name: string, reason: string) =>
    admin.submit(list, `${action}/${name}`, { reason, in_list: 'true' });
  expect(await (await new Browser(api.url).get(list)).text()).not.toContain(action);
  const refusal = await send('drain', ' ');
  const html = await refusal.text();
  expect([refusal.status, html.match(/<details open>\s*<summary [^>]*>/)?.[0]]).toEqual([
    400,
    expect.stringContaining('"Drain…: w5"'),
  ]);
  expect(html.match(/id="w\d-reason-mistake"/g)).toEqual(['id="w5-reason-mistake"']);
  const drained = await send('drain', 'new disks');
  expect([drained.status, drained.headers.get('location')]).toEqual([303, list]);
  const after = await admin.textOf(list);
  expect(after).toContain('role="status">w5 gets no new runs.</p>');
  expect(after).toContain(`action="${action}/undrain"`);
  expect((await send('undrain', '')).headers.get('location')).toBe(list);
  expect(await admin.textOf(list)).toContain(`action="${action}/drain"`);
  expect((await send('quarantine', 'odd')).headers.get('location')).toBe(list);
});
