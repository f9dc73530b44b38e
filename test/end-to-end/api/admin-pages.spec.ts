import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser, hiddenIn } from '@test/support/browser';
import { pageOf, rows } from '@test/support/pages';

let api: RunningApi;
let admin: Browser;
let alice: Browser;

beforeAll(async () => {
  api = await startApi();
  await api.database.users.add('root', { isAdmin: true, password: 'of root' });
  await api.database.users.setPassword('alice', 'of alice');
  [admin, alice] = [new Browser(api.url), new Browser(api.url)];
  await admin.logIn('root', 'of root');
  await alice.logIn('alice', 'of alice');
});
afterAll(() => api.stop());

const pathsOf = (method: string): string[] =>
  api.routes.filter((route) => route.startsWith(`${method} /admin`)).map((route) => route.split(' ')[1]!);

it('the pages for administrators lead strangers to the login and back, and are refused to other users', async () => {
  expect(pathsOf('GET').length).toBeGreaterThan(0);
  for (const path of pathsOf('GET').map((each) => each.replace(/:\w+/g, 'alice'))) {
    const redirect = await new Browser(api.url).get(path);
    const login = `/user/login?next=${encodeURIComponent(path)}`;
    expect([path, redirect.status, redirect.headers.get('location')]).toEqual([path, 303, login]);
    expect([path, (await alice.get(path)).status]).toEqual([path, 403]);
  }
  expect(await alice.textOf('/')).not.toContain('href="/admin/"');
  expect(await admin.textOf('/')).toContain('<a href="/admin/">Admin</a>');
});

it('a form for administrators changes nothing without its token, from elsewhere, or of another user', async () => {
  const before = await api.database.auditLog.list({}, 100, null);
  const token = hiddenIn(await admin.textOf('/admin/users/'))['form_token']!;
  const ofAlice = hiddenIn(await alice.textOf('/user/alice'))['form_token']!;
  const values = { name: 'intruder', admin: 'true', confirmed: 'true' };
  expect(pathsOf('POST').length).toBeGreaterThan(0);
  for (const path of pathsOf('POST').map((each) => each.replace(/:\w+/g, 'alice'))) {
    const crossSite = { 'Sec-Fetch-Site': 'cross-site' };
    const tried = [
      await admin.post(path, values),
      await admin.post(path, { ...values, form_token: ofAlice }),
      await admin.post(path, { ...values, form_token: token }, crossSite),
      await admin.post(path, { ...values, form_token: token }, {}),
      await alice.post(path, { ...values, form_token: ofAlice }),
    ];
    expect([path, ...tried.map(({ status }) => status)]).toEqual([path, 403, 403, 403, 403, 403]);
    expect([path, (await new Browser(api.url).post(path, values)).status]).toEqual([path, 303]);
  }
  expect(await api.database.auditLog.list({}, 100, null)).toEqual(before);
});

/** Sends a form of a page, and then the one that asks whether it is meant. */
async function confirmed(
  page: string,
  action: string,
  values: Record<string, string> = {},
): Promise<Response> {
  const answer = await admin.submit(page, action, values);
  const html = await answer.text();
  expect([answer.status, html]).toEqual([200, expect.stringContaining('name="confirmed" value="true"')]);
  return admin.post(action, hiddenIn(html));
}

it('users are added, appointed, dismissed, logged out and given passwords on their page', async () => {
  const added = await admin.submit('/admin/users/', '/admin/users', { name: 'carol', password: '' });
  expect([added.status, added.headers.get('location')]).toEqual([303, '/admin/users/carol']);
  const twice = await admin.submit('/admin/users/', '/admin/users', { name: 'carol' });
  expect([twice.status, await twice.text()]).toEqual([409, expect.stringContaining('already a user carol')]);
  const odd = await admin.submit('/admin/users/', '/admin/users', { name: '<b>' });
  const again = await odd.text();
  expect([odd.status, again]).toEqual([400, expect.stringContaining('Please correct the marked fields.')]);
  expect(again).toMatch(
    / aria-invalid="true" autofocus value="&lt;b&gt;"[^<]*>\s*<span class="mistake"[^>]*>Must be letters/,
  );
  const short = await admin.submit('/admin/users/carol', '/admin/users/carol/password', {
    password: 'of carol',
  });
  const refusedPassword = await short.text();
  expect([short.status, refusedPassword]).toEqual([400, expect.stringContaining('class="mistake"')]);
  expect(refusedPassword).not.toContain('of carol');

  const set = await admin.submit('/admin/users/carol', '/admin/users/carol/password', { password: '' });
  const password = /<code id="secret">([\w-]{20})<\/code>/.exec(await set.text())![1]!;
  const carol = new Browser(api.url);
  expect((await carol.logIn('carol', password)).status).toBe(303);
  const appointed = await confirmed('/admin/users/carol', '/admin/users/carol/administrator', {
    admin: 'true',
  });
  expect(appointed.status).toBe(303);
  expect((await carol.get('/admin/')).status).toBe(200);
  await confirmed('/admin/users/carol', '/admin/users/carol/administrator', { admin: 'false' });
  expect((await carol.get('/admin/')).status).toBe(403);
  const endSessions = await confirmed('/admin/users/carol', '/admin/users/carol/end-sessions');
  expect(await endSessions.text()).toContain('carol was logged out of one browser.');
  expect((await carol.get('/user/carol')).status).toBe(303);
  const last = await confirmed('/admin/users/root', '/admin/users/root/administrator', { admin: 'false' });
  expect([last.status, await last.text()]).toEqual([409, expect.stringContaining('the last administrator')]);
  expect((await admin.get('/admin/users/ghost')).status).toBe(404);
  const list = rows(await admin.textOf('/admin/users/?search=aro'));
  expect(list.slice(1).map(([name, role]) => [name, role])).toEqual([['carol', 'user']]);
});

it('keys of all users are found by owner and label, and revoked', async () => {
  const { id, key } = await api.database.apiKeys.create('bob', 'old <laptop>');
  const table = rows(await admin.textOf('/admin/keys/?search=laptop'));
  expect(table.slice(1).map((row) => row.slice(0, 2))).toEqual([['bob', 'old &lt;laptop&gt;']]);
  expect((await api.api('/auth', {}, key)).status).toBe(200);
  const odd = await admin.submit('/admin/keys/?search=laptop', `/admin/keys/${id}/revoke`, { odd: '1' });
  expect([odd.status, await odd.text()]).toEqual([
    400,
    expect.stringContaining('The parameter &quot;odd&quot; is unknown; there is none.'),
  ]);
  const revoked = await confirmed('/admin/keys/?search=laptop', `/admin/keys/${id}/revoke`);
  expect([revoked.status, (await api.api('/auth', {}, key)).status]).toEqual([303, 403]);
  const again = await admin.post(`/admin/keys/${id}/revoke`, {
    form_token: hiddenIn(await admin.textOf('/admin/keys/'))['form_token']!,
    confirmed: 'true',
  });
  expect([again.status, await again.text()]).toEqual([404, expect.stringContaining('There is no valid key')]);
});

it('queues are paused and resumed, and each mistake is explained', async () => {
  const page = '/status/queue/';
  const values = { suite: 'trixie', arch: '', reason: 'a broken <mirror>' };
  expect((await admin.submit(page, '/admin/queues/pause', values)).status).toBe(303);
  const sentence = 'Suite trixie on every architecture is paused by root';
  expect(await admin.textOf(page)).toMatch(new RegExp(`${sentence} .*a broken &lt;mirror&gt;`));
  expect(await admin.textOf('/admin/')).toContain(sentence);
  const wrong = await admin.submit(page, '/admin/queues/pause', { suite: 'nonesuch', reason: 'x' });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('nonesuch')]);
  const blank = await admin.submit(page, '/admin/queues/pause', { suite: '', arch: '', reason: ' ' });
  expect([blank.status, await blank.text()]).toEqual([
    400,
    expect.stringContaining('id="pause-reason-mistake">Must be'),
  ]);
  expect((await admin.submit(page, '/admin/queues/resume')).status).toBe(303);
  expect(await admin.textOf(page)).not.toContain(sentence);
  expect(await api.database.auditLog.list({ user: 'root', subject: 'suite trixie*' }, 9, null)).toHaveLength(
    2,
  );
});

it('a queue is paused and resumed in its row, for administrators alone', async () => {
  await api.submit('waits');
  const page = '/status/queue/?suite=bookworm&arch=amd64';
  expect(await pageOf(api, page)).not.toContain('/admin/queues/');
  const reason = 'a broken mirror';
  expect((await admin.submit(page, '/admin/queues/pause', { reason })).headers.get('location')).toBe(
    '/status/queue/',
  );
  expect(await api.database.decisions.pauses()).toMatchObject([{ suite: 'bookworm', arch: 'amd64', reason }]);
  expect(await admin.textOf(page)).toContain('Resume queue bookworm/amd64</button>');
  expect((await admin.submit(page, '/admin/queues/resume')).status).toBe(303);
  expect(await api.database.decisions.pauses()).toEqual([]);
});

it('runs are cancelled and get another priority by selection, after a question that counts them', async () => {
  const runIds = [await api.submit('selected'), await api.submit('selected', { is_private: true })];
  const page = '/status/queue/';
  const answer = await admin.submit(page, '/admin/queues/cancel', {
    package: 'selected',
    reason: 'a mistake',
  });
  const question = await answer.text();
  expect(question).toContain('Cancel 2 runs?');
  expect(question).toContain('2 waiting, 0 running. By queue: bookworm/amd64 2.');
  expect(hiddenIn(question)).toEqual({
    form_token: expect.any(String) as string,
    confirmed: 'true',
    package: 'selected',
    reason: 'a mistake',
  });
  expect(await api.database.results.find(runIds[0]!)).toMatchObject({ state: 'queued' });
  const form = { ...hiddenIn(question), confirmed: '', priority: '9' };
  const raised = await admin.post('/admin/queues/priority', form);
  const change = await admin.post('/admin/queues/priority', hiddenIn(await raised.text()));
  expect(await change.text()).toContain('The priority of 2 runs is 9 now.');
  expect(await (await admin.post('/admin/queues/cancel', hiddenIn(question))).text()).toContain('2 runs');
  for (const runId of runIds)
    expect(await api.database.results.find(runId)).toMatchObject({ cancelled: true, priority: 9 });
  const again = await admin.post('/admin/queues/cancel', hiddenIn(question));
  expect(await again.text()).toContain('Cancelled: 0 runs.');
  const none = await admin.submit(page, '/admin/queues/cancel', { package: 'selected' });
  expect(await none.text()).toContain('No unfinished run matches.');
  const all = await admin.submit(page, '/admin/queues/cancel');
  expect([all.status, await all.text()]).toEqual([400, expect.stringContaining('At least one of run_ids')]);
  const logged = await api.database.auditLog.list({ user: 'root', action: 'runs-cancelled' }, 9, null);
  expect(logged).toMatchObject([{ subject: 'package selected', detail: 'a mistake', runs: 2 }]);
});

it('the rules of a package are looked up, and its backend is changed', async () => {
  await api.submit('linux-signed');
  const page = '/admin/packages/?package=linux-signed';
  const html = await admin.textOf(page);
  expect(html).toContain('<dd>unshare, the default</dd>');
  expect(html).toContain('<dd>big, by the rule for linux-*</dd>');
  expect(html).toContain('<dd>16\u00a0h, by the rule for linux-*</dd>');
  const change = (backend: string): Promise<Response> =>
    admin.submit(page, '/admin/packages/linux-signed/backend', { backend });
  expect((await change('qemu')).headers.get('location')).toBe(page);
  expect(await admin.textOf(page)).toContain('<dd>qemu, its own</dd>');
  expect(rows(await admin.textOf('/admin/packages/'))).toContainEqual(['linux-signed', 'qemu']);
  const wrong = await change('nonesuch');
  expect([wrong.status, await wrong.text()]).toEqual([
    400,
    expect.stringContaining('there is unshare, qemu'),
  ]);
  expect((await change('')).status).toBe(303);
  const logged = await api.database.auditLog.list({ subject: 'package linux-signed' }, 9, null);
  expect(logged.map(({ detail }) => detail)).toEqual(['qemu → the default', 'the default → qemu']);
  expect(await admin.textOf('/admin/packages/?package=blocked')).toContain('bookworm/amd64: all versions');
  expect((await admin.get('/admin/packages/?package=No')).status).toBe(400);
});

it('the configuration in use is shown value by value', async () => {
  const html = await admin.textOf('/admin/configuration/');
  expect(rows(html)).toEqual(
    expect.arrayContaining([
      ['api.port', '8080', 'default'],
      ['suites', '[&quot;bookworm&quot;,&quot;&lt;trixie&gt;&quot;]', 'line 3'],
    ]),
  );
  expect(html).toContain('/etc/proctor');
});

it('the overview shows what needs attention', async () => {
  const html = await admin.textOf('/admin/');
  expect(html).toContain('2 things are wrong.');
  expect(html).toContain('No scheduler answers for amd64');
});

it('the audit log is read by user, action, subject and day, in pages and as JSON', async () => {
  await api.database.decisions.pause({ suite: 'sid', arch: null }, { userId: 1, userName: 'audited' }, '<b>');
  const table = rows(await admin.textOf('/admin/audit/?user=audited'));
  expect(table[1]!.slice(1)).toEqual([
    ...['audited', 'queue-paused', 'suite sid on every architecture', '&lt;b&gt;', '', ''],
  ]);
  expect(table).toHaveLength(2);
  const none = await admin.textOf('/admin/audit/?user=alice&action=login&subject=key%20*&since=2026-01-01');
  expect(none).toContain('No entry matches.');
  for (let place = 0; place < 60; place++)
    await api.database.auditLog.add({ action: 'logout', userId: null, userName: 'many' });
  interface Part {
    entries: { user: string }[];
    next: string | null;
  }
  const part = async (path: string): Promise<Part> => (await (await admin.get(path)).json()) as Part;
  const first = await part('/admin/audit.json?user=many');
  expect([first.entries.length, (await part(first.next!)).entries.length]).toEqual([50, 10]);
  expect(await admin.textOf('/admin/audit/?user=many')).toMatch(
    /href="\/admin\/audit\/\?user=many&amp;before=\d+"/,
  );
  for (const query of ['action=x', 'since=yesterday', 'before=0', 'limit=501', 'nonsense=1'])
    expect([query, (await admin.get(`/admin/audit.json?${query}`)).status]).toEqual([query, 400]);
});
