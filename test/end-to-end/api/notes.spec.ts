import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser, hiddenIn } from '@test/support/browser';

interface NoteAnswer {
  note_id: number;
  text: string;
  bugs: string[];
  subject: string;
  author: string;
  withdrawn_at: string | null;
}

let api: RunningApi;
let bob: Browser;
let rootKey: string;
beforeAll(async () => {
  api = await startApi();
  await api.database.users.add('root', { isAdmin: true });
  rootKey = (await api.database.apiKeys.create('root', 'test')).key;
  bob = await api.logIn('bob');
});
afterAll(() => api.stop());

const send = (path: string, body: object, key = api.keys.bob): Promise<Response> =>
  api.api(
    path,
    { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
    key,
  );
async function write(body: object, key?: string): Promise<NoteAnswer> {
  const response = await send('/notes', body, key);
  expect(response.status).toBe(201);
  return (await response.json()) as NoteAnswer;
}
async function textsOf(query: string, key = api.keys.alice): Promise<string[]> {
  const response = await api.api(`/notes?${query}`, {}, key);
  expect(response.status).toBe(200);
  return ((await response.json()) as { notes: NoteAnswer[] }).notes.map(({ text }) => text);
}
const error = (signature: string) => {
  return { signature, excerpt: { firstLine: 1, errorLine: 1, lines: ['E: broken'] } };
};
async function failedRun(name: string, signature: string, parameters = {}, key?: string): Promise<number> {
  const runId = await api.submit(name, parameters, key);
  const tests = [{ name: 'upstream', status: 'FAIL' as const, detail: null }];
  await api.finish(runId, { verdict: 'fail', tests, error: error(signature) });
  return runId;
}

it('a note on a failed run is carried over while the test fails alike, and withdrawn when it passes', async () => {
  const first = await failedRun('carried', 'a1');
  const { note_id: noteId } = await write({ run_id: first, text: 'Known since autumn', bugs: ['123456'] });
  const alike = await failedRun('carried', 'a1');
  const other = await failedRun('carried', 'b2');
  expect(await textsOf(`run_id=${alike}`)).toEqual(['Known since autumn']);
  expect(await textsOf(`run_id=${other}`)).toEqual([]);
  const history = '/packages/c/carried/bookworm/amd64/';
  for (const path of [`${history}${alike}/`, '/packages/c/carried/', history]) {
    const page = await (await api.fetch(path)).text();
    expect([path, page]).toEqual([path, expect.stringContaining('Known since autumn')]);
    expect(page).toContain(
      '<a href="https://bugs.example/123456" rel="nofollow noopener noreferrer">#123456</a>',
    );
  }
  await api.finish(await api.submit('carried'));
  const again = await failedRun('carried', 'a1');
  expect(await textsOf(`run_id=${again}`)).toEqual([]);
  expect(await textsOf(`run_id=${first}`)).toEqual(['Known since autumn']);
  const packagePage = await (await api.fetch('/packages/c/carried/')).text();
  expect(packagePage).toContain('Notes about earlier failures: 1');
  const list = (await (await api.api('/notes?package=carried')).json()) as { notes: NoteAnswer[] };
  expect(list.notes).toMatchObject([{ note_id: noteId, author: 'bob', withdrawn_at: expect.any(String) }]);
});

it('a note about an error is shown with every package that has it, and one on a package with all of its runs', async () => {
  const first = await failedRun('shared-one', 'cc');
  await write({ run_id: first, subject: 'error', text: 'The mirror is broken' });
  const other = await failedRun('shared-two', 'cc', { trigger: 'mirror/1' });
  expect(await textsOf(`run_id=${other}`)).toEqual(['The mirror is broken']);
  expect(await (await api.fetch('/triggers/mirror/1')).text()).toContain('The mirror is broken');
  await write({ package: 'shared-two', text: 'Takes long' });
  const passing = await api.submit('shared-two');
  await api.finish(passing);
  expect(await textsOf(`run_id=${passing}`)).toEqual(['Takes long']);
});

it('a note is changed and removed by its author and by administrators alone, and the audit log says who did it', async () => {
  await failedRun('owned', 'dd');
  const { note_id: noteId } = await write({
    package: 'owned',
    suite: 'bookworm',
    arch: 'amd64',
    text: 'first',
  });
  const path = `/notes/${noteId}`;
  expect((await send(path, { text: 'by alice' }, api.keys.alice)).status).toBe(403);
  expect((await api.api(path, { method: 'DELETE' }, api.keys.alice)).status).toBe(403);
  expect((await send(path, { text: 'second', bugs: 'https://bugs.example/x' })).status).toBe(200);
  expect(await textsOf('package=owned')).toEqual(['second']);
  expect((await api.api(path, { method: 'DELETE' }, rootKey)).status).toBe(204);
  expect(await textsOf('package=owned')).toEqual([]);
  expect((await api.api(path, { method: 'DELETE' })).status).toBe(404);
  const entries = await api.database.auditLog.list({ subject: `note ${noteId}` }, 10, null);
  expect(entries.map(({ user, action }) => [user, action])).toEqual([
    ['root', 'note-removed'],
    ['bob', 'note-changed'],
    ['bob', 'note-added'],
  ]);
});

it('a note on a private run is for who may see the run, until that is published', async () => {
  const hidden = await failedRun('hidden-tool', 'ee', { is_private: true }, api.keys.bob);
  await write({ run_id: hidden, subject: 'error', text: 'A secret cause' });
  const open = await failedRun('open-tool', 'ee');
  expect(await textsOf(`run_id=${open}`)).toEqual([]);
  expect(await textsOf(`run_id=${open}`, api.keys.bob)).toEqual(['A secret cause']);
  expect(await textsOf('', api.keys.alice)).not.toContain('A secret cause');
  expect(await textsOf('', rootKey)).toContain('A secret cause');
  expect(await (await api.fetch(`/packages/o/open-tool/bookworm/amd64/${open}/`)).text()).not.toContain(
    'A secret',
  );
  expect(await bob.textOf(`/packages/o/open-tool/bookworm/amd64/${open}/`)).toContain('A secret cause');
  expect((await send('/notes', { run_id: hidden, text: 'x' }, api.keys.alice)).status).toBe(404);
  expect((await send('/notes', { package: 'hidden-tool', text: 'x' })).status).toBe(404);
  await send('/test/publish', { run_ids: String(hidden) });
  expect(await textsOf(`run_id=${open}`)).toEqual(['A secret cause']);
});

it.each<[string, object, number, string]>([
  ['without a subject', { text: 'x' }, 400, 'run_id or package is needed to say what the note is about.'],
  [
    'without a text',
    { package: 'hello', text: '  ' },
    400,
    'text must be a text of 1 to 2000 characters, not "  ".',
  ],
  ['of a long text', { package: 'hello', text: 'x'.repeat(2_001) }, 400, 'text must be a text of 1 to 2000'],
  [
    'with a script as bug',
    { package: 'hello', text: 'x', bugs: ['javascript:alert(1)'] },
    400,
    'bugs must be numbers',
  ],
  [
    'with eleven bugs',
    { package: 'hello', text: 'x', bugs: '1 2 3 4 5 6 7 8 9 10 11' },
    400,
    'bugs names 11 bugs; a note may name 10.',
  ],
  [
    'on half a place',
    { package: 'hello', suite: 'bookworm', text: 'x' },
    400,
    'suite and arch are needed together.',
  ],
  ['on an unknown package', { package: 'unheard-of', text: 'x' }, 404, 'No run of the package "unheard-of"'],
  ['on an unknown run', { run_id: 999_999, text: 'x' }, 404, 'There is no run 999999.'],
  ['on a run and a package', { run_id: 1, package: 'hello', text: 'x' }, 400, 'run_id says which package'],
])('a note %s is refused', async (_, body, status, detail) => {
  const response = await send('/notes', body);
  const problem = (await response.json()) as { detail: string };
  expect([response.status, problem.detail]).toEqual([status, expect.stringContaining(detail)]);
});

it('a run that has passed has no notes of its own, and a user only so many on a package', async () => {
  const passed = await api.submit('bounded');
  await api.finish(passed);
  expect((await send('/notes', { run_id: passed, text: 'x' })).status).toBe(409);
  for (let count = 0; count < 20; count += 1) await write({ package: 'bounded', text: `note ${count}` });
  const refusal = await send('/notes', { package: 'bounded', text: 'one more' });
  expect([refusal.status, ((await refusal.json()) as { detail: string }).detail]).toEqual([
    409,
    'You have 20 notes on bounded already; remove one first.',
  ]);
  await write({ package: 'bounded', text: 'of another' }, api.keys.alice);
});

it('notes are written, changed and removed on pages, as text', async () => {
  const runId = await failedRun('paged', 'ff');
  const path = `/packages/p/paged/bookworm/amd64/${runId}/`;
  expect(await (await api.fetch(path)).text()).not.toContain('Add a note');
  const text = '<script>alert(1)</script>\nsecond line';
  const answer = await bob.submit(path, '/notes', {
    subject: 'package',
    text,
    bugs: '#7 https://x.example/?a=1&b=2',
  });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `/runs/${runId}`]);
  const page = await bob.textOf(path);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\nsecond line');
  expect(page).not.toContain('<script>alert');
  expect(page).toContain('<a href="https://x.example/?a=1&amp;b=2" rel="nofollow noopener noreferrer">');
  const noteUrl = /href="(\/notes\/\d+)"/.exec(page)![1]!;
  const change = await bob.submit(noteUrl, noteUrl, { text: 'Only this', bugs: '' });
  expect(change.headers.get('location')).toBe(`/runs/${runId}`);
  const noticed = await bob.textOf(path);
  expect(noticed).toContain('<p class="note-text">Only this</p>');
  expect(noticed).toContain('The note was changed.');
  const stranger = new Browser(api.url);
  expect((await stranger.get(noteUrl)).status).toBe(303);
  const { form_token: token = '' } = hiddenIn(await bob.textOf('/user/bob'));
  const forged = { form_token: token, text: 'x' };
  expect((await bob.post(noteUrl, forged, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  await bob.submit(noteUrl, `${noteUrl}/remove`);
  expect(await bob.textOf(path)).not.toContain('Only this');
});

it('a refused note keeps what was typed, with the mistake beside its field', async () => {
  const runId = await failedRun('mistaken', 'ff');
  const path = `/packages/m/mistaken/bookworm/amd64/${runId}/`;
  const refusal = await bob.submit(path, '/notes', {
    subject: 'package',
    text: 'Kept <text>',
    bugs: 'ftp://x',
  });
  const html = await refusal.text();
  expect(refusal.status).toBe(400);
  expect(html).toContain('The note was not added. Please correct the marked fields.');
  expect(html).toContain('>Kept &lt;text&gt;</textarea>');
  expect(html).toContain(`name="run_id" value="${runId}"`);
  expect(html).toContain('<option value="package" selected>');
  expect(html).toMatch(/<input id="note-bugs"[^>]* aria-invalid="true" autofocus value="ftp:/);
  await bob.submit(path, '/notes', { subject: 'package', text: 'Written', bugs: '' });
  const noteUrl = /href="(\/notes\/\d+)"/.exec(await bob.textOf(path))![1]!;
  const change = await bob.submit(noteUrl, noteUrl, { text: 'Better', bugs: 'none' });
  const text = await change.text();
  expect([change.status, text.includes('>Better</textarea>')]).toEqual([400, true]);
  expect(text).toContain('<span class="mistake" id="bugs-mistake">');
});
