import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { Browser, hiddenIn } from '@test/support/browser';

let api: RunningApi;
let alice: Browser;
let token: string;

beforeAll(async () => {
  api = await startApi();
  alice = await api.logIn('alice');
  token = hiddenIn(await alice.textOf('/user/alice/test'))['form_token']!;
});
afterAll(() => api.stop());

const send = (path: string, fields: Record<string, string>): Promise<Response> =>
  alice.post(`/user/alice/test/${path}`, { form_token: token, ...fields });

async function requested(): Promise<{ package: string; suite: string; arch: string; is_private: boolean }[]> {
  const answer = await (await alice.get('/user/alice/jobs.json')).json();
  return (answer as { runs: Awaited<ReturnType<typeof requested>> }).runs;
}

const FIELDS = {
  packages: 'hello\nblocked\nnot-on-arm',
  suite: 'bookworm',
  'arch-amd64': 'on',
  'arch-arm64': 'on',
};

it('the form is filled by its query, with what may be chosen', async () => {
  const html = await alice.textOf('/user/alice/test?package=hello&suite=trixie&arch=arm64&trigger=%3Cb%3E');
  expect(html).toContain('>hello</textarea>');
  expect(html).toContain('name="suite[]" value="trixie" checked');
  expect(html).toContain('name="arch[]" value="arm64" checked');
  expect(html).toContain('value="&lt;b&gt;"');
  expect(html).toContain('name="extra_apt_sources[]" value="inner"');
});

it('the form shows what would be requested and ignored before anything is', async () => {
  const preview = await (await send('submit', { ...FIELDS, step: 'preview' })).text();
  expect(preview).toContain('3 runs would be requested, 3 ignored.');
  expect(preview).toContain('blocked on amd64 is ignored: it is on the reject list');
  expect(preview).toContain('bookworm/amd64: 2 runs, next in line');
  expect(preview).toContain(`--data-binary @- ${api.url}/api/v1/test/batch`);
  expect(preview).toContain('/user/alice/test?packages=hello%0Ablocked%0Anot-on-arm&amp;suite=bookworm');
  expect(await requested()).toEqual([]);
});

it('the form asks for several suites and architectures, and says which run is doubled', async () => {
  const runId = await api.submit('doubled');
  const fields = { packages: 'doubled', 'suite-bookworm': 'on', 'suite-trixie': 'on', 'arch-amd64': 'on' };
  const preview = await (await send('submit', { ...fields, step: 'preview' })).text();
  expect(preview).toContain(
    '2 runs would be requested. One of them repeats a run that is waiting or running.',
  );
  expect(preview).toContain(`<a href="/runs/${runId}">run ${runId}</a>`);
  expect(preview).toContain('bookworm/amd64: 1 run, after 1 waiting run');
  expect(preview).toContain('trixie/amd64: 1 run, next in line');
  await api.api(`/test/${runId}`, { method: 'DELETE' });
});

it('the preview explains each mistake once, in the words of the form', async () => {
  const wrong = { ...FIELDS, suite: 'bookworm,nowhere', priority: '11', step: 'preview' };
  const response = await send('submit', wrong);
  const html = await response.text();
  expect(response.status).toBe(200);
  expect(html).toContain('This cannot be requested yet.');
  expect(html.match(/<li>[^<]*<\/li>/g)).toEqual([
    expect.stringContaining('suite &quot;nowhere&quot; is unknown'),
    expect.stringContaining('priority must be'),
  ]);
  const nothing = await send('submit', { packages: 'hello', 'arch-amd64': 'on', step: 'preview' });
  expect(await nothing.text()).toContain('Choose a suite.');
});

it('the form explains each mistake, keeps what was typed, and requests nothing', async () => {
  const wrong = { ...FIELDS, pins: 'gl ibc, trixie\nsed, nowhere', priority: '11', step: 'submit' };
  const response = await send('submit', wrong);
  const html = await response.text();
  expect(response.status).toBe(400);
  expect(html).toContain('Nothing was requested.');
  expect(html).toContain('gl ibc, trixie');
  expect(html).toContain('<span class="mistake" id="priority-mistake">');
  expect(html).toContain('Please correct the marked fields.');
  const alone = await (await send('submit', { packages: 'kept', 'arch[]': 'arm64', step: 'submit' })).text();
  expect(alone).toContain('<span class="mistake" id="suite-mistake">Choose a suite.</span>');
  expect(alone).toContain('name="arch[]" value="arm64" checked');
  for (const fields of [{ step: 'submit' }, { ...FIELDS, suite: 'nowhere', step: 'submit' }])
    expect((await send('submit', fields as Record<string, string>)).status).toBe(400);
  expect((await requested()).filter((run) => run.package !== 'doubled')).toEqual([]);
});

it('the form saves what it means as the JSON that the API and the upload take', async () => {
  const saved = await send('export', { ...FIELDS, trigger: 'glibc/2.40-4' });
  expect(saved.headers.get('content-disposition')).toBe('attachment; filename="tests.json"');
  const text = await saved.text();
  const tests = JSON.parse(text) as unknown;
  expect(tests).toMatchObject([{ suite: 'bookworm', arch: ['amd64', 'arm64'] }]);
  const body = new FormData();
  body.set('form_token', token);
  body.set('suite', '');
  body.set('tests', new Blob([text], { type: 'application/json' }), 'tests.json');
  const uploaded = await alice.post('/user/alice/test/upload', body);
  expect([uploaded.status, (await uploaded.text()).includes('3 runs were requested')]).toEqual([200, true]);
  const runNames = (await requested()).map((run) => `${run.package} ${run.suite}/${run.arch}`);
  expect(runNames).toEqual(expect.arrayContaining(['hello bookworm/amd64', 'hello bookworm/arm64']));
});

it('the form requests private runs, which its user alone sees', async () => {
  const response = await send('submit', {
    packages: 'secret-tool',
    suite: 'trixie',
    'arch-amd64': 'on',
    is_private: 'on',
    step: 'submit',
  });
  expect(await response.text()).toContain('One run was requested');
  expect((await requested())[0]).toMatchObject({ package: 'secret-tool', is_private: true });
  expect(await (await new Browser(api.url).get('/')).text()).not.toContain('secret-tool');
});

it('an uploaded list is for the suite and architectures that were chosen, and each mistake is explained', async () => {
  const upload = async (content: string, step = 'submit'): Promise<Response> => {
    const body = new FormData();
    body.set('form_token', token);
    body.set('suite', 'trixie');
    body.set('step', step);
    body.set('arch-amd64', 'on');
    body.set('arch-arm64', 'on');
    body.set('tests', new Blob([content]), 'tests.json');
    return alice.post('/user/alice/test/upload', body);
  };
  const checked = await upload('[{"package": "of-a-list"}]', 'preview');
  expect(await checked.text()).toContain('2 runs would be requested.');
  const good = await upload('[{"package": "of-a-list"}]');
  expect(await good.text()).toContain('2 runs were requested');
  const bad = await upload('[{"package": 5},\n{"package": "sed", "priority": 99}]');
  const html = await bad.text();
  expect(bad.status).toBe(400);
  expect(html).toContain('Nothing was requested. Please correct the marked fields.');
  expect(html).toMatch(
    /id="list-tests-mistake">Line 1: tests\[0\]\.package must be a string[^\n]*\nLine 2: tests\[1\]\.priority must be/,
  );
  // What was chosen beside the file stays.
  expect(html).toContain('<option value="trixie" selected>');
  const check = await upload('[{"package": 5}]', 'preview');
  expect([check.status, await check.text()]).toEqual([
    400,
    expect.stringContaining('>Line 1: tests[0].package'),
  ]);
  const unread = await upload('no json');
  expect([unread.status, await unread.text()]).toEqual([
    400,
    expect.stringContaining('id="list-tests-mistake">'),
  ]);
});
