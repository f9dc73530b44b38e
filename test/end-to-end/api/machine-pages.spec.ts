import { subjectOf, SUBJECTS, type WorkerStatus } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { awayFromNextHour } from '@test/support/midnight';
import { pageOf, rows } from '@test/support/pages';
import { runError } from '@test/support/run-error';
import { registerWorkers, workerKey } from '@test/support/worker-register';

let api: RunningApi;
let admin: string;
beforeAll(async () => {
  api = await startApi({ server: { notices: ['*Soon*: <b> [plan](https://example.org/)'] } });
  await api.database.users.add('root', { isAdmin: true });
  admin = (await api.database.apiKeys.create('root', 'test')).key;
  const worker = (name: string) => ({ name, publicKey: workerKey(), architectures: ['amd64'] });
  await registerWorkers(api.database, ['worker-1', 'worker-2', 'worker-3'].map(worker), 'root');
  await api.database.workerRegister.recordSeen([{ worker: 'worker-2', from: '192.0.2.7' }], []);
  const refusal = { worker: 'worker-1', count: 1, reason: 'worker worker-1 is not registered for arm64' };
  await api.database.workerRegister.recordSeen([], [refusal]);
});
afterAll(() => api.stop());

const offered: WorkerStatus = {
  worker: 'worker-1',
  slots: 4,
  busy: 1,
  testbeds: [{ suite: 'bookworm', backend: 'unshare', state: 'ready' }],
  variants: ['autopkgtest'],
  sizeClasses: ['big'],
  standing: 'quarantined',
  reason: 'attempts failed here in a row',
  untilMs: 60_000,
};

/** The dispatcher of amd64 knows this worker, or none, while `work` is done. */
async function offering<T>(worker: WorkerStatus | null, work: () => Promise<T>): Promise<T> {
  const end = api.bus.subscribe(subjectOf(SUBJECTS.status, 'amd64'), ({ respond }) =>
    respond?.(JSON.stringify({ arch: 'amd64', epoch: 1, workers: worker ? [worker] : [], queues: [] })),
  );
  try {
    return await work();
  } finally {
    end();
  }
}

it('the queues have a page with what waits, for how long, and what holds it back', async () => {
  await api.submit('waits');
  const html = await pageOf(api, '/status/queue/');
  expect(html).toContain('1 run is waiting.');
  expect(rows(html)[1]!.slice(0, 4)).toEqual(['bookworm', 'amd64', '1', '0']);
  expect(rows(html)[1]!.at(-1)).toBe('no scheduler answers for amd64');
  expect(html).toContain('Nothing is waiting or running on bookworm/arm64, trixie/amd64, trixie/arm64.');
  const data = (await (await api.fetch('/status/queue.json')).json()) as object[];
  expect(data).toEqual(await (await api.api('/queues')).json());
});

it('the workers have a page with how each is, those too that are away', async () => {
  const html = await offering(offered, () => pageOf(api, '/status/workers/'));
  expect(html).toContain('3 workers: 1 quarantined, 2 not connected; 1 of 4 slots are busy.');
  expect(rows(html).map((row) => row.slice(0, 5))).toEqual([
    ['Worker', 'State', 'Architectures', 'Busy slots', 'Slots'],
    ['worker-1', 'quarantined', 'amd64', '1', '4'],
    ['worker-2', 'not connected', 'amd64', '0', '0'],
    ['worker-3', 'not connected', 'amd64', '0', '0'],
  ]);
  expect(html).not.toContain('192.0.2.7');
  expect(await pageOf(api, '/status/workers/?after=worker-2')).not.toContain('worker-1');
  expect((await api.fetch('/status/workers/?after=a/b')).status).toBe(400);
});

it('queues and workers have feeds of what holds runs up', async () => {
  const queues = await api.fetch('/status/queue.xml');
  expect(queues.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
  const text = await queues.text();
  expect(text).toContain('<![CDATA[bookworm/amd64 has waiting runs]]>');
  expect(text).toContain(
    '1 run is waiting. Done in: unknown. Waiting because: no scheduler answers for amd64.',
  );
  const workers = await offering(offered, async () => (await api.fetch('/status/workers.xml')).text());
  const titles = [...workers.matchAll(/<title type="html"><!\[CDATA\[(.*?)\]\]>/g)].map(([, title]) => title);
  expect(titles.sort()).toEqual([
    'worker-1 is quarantined',
    'worker-2 is not connected',
    'worker-3 is not connected',
  ]);
  expect(workers).toContain('<p>attempts failed here in a row</p>');
  expect(workers).not.toContain('192.0.2.7');
  for (const list of ['queue', 'workers'])
    expect(await pageOf(api, `/status/${list}/`)).toContain(`href="/status/${list}.xml"`);
});

it('the owner of a machine finds why it gets no work, what it runs and what it has ended', async () => {
  const [running, endedRun, hidden] = [
    await api.submit('hello'),
    await api.submit('figlet'),
    await api.submit('secret', { is_private: true }),
  ];
  await api.start(running);
  await api.finish(endedRun, { verdict: 'fail' });
  await api.start(hidden);
  const html = await offering(offered, () => pageOf(api, '/status/workers/worker-1'));
  expect(html).toContain('worker-1 is quarantined; 1 of 4 slots are busy.');
  expect(html).toMatch(/<li>quarantined until \S+Z: attempts failed here in a row<\/li>/);
  expect(html).toContain(`hello on bookworm/amd64, run ${running}`);
  expect(rows(html)).toContainEqual([
    String(endedRun),
    'figlet',
    'bookworm/amd64',
    'fail',
    expect.any(String),
    '',
  ]);
  expect(html).not.toContain('secret');
  expect(await pageOf(api, '/status/workers/worker-2')).toContain('<li>no scheduler answers for amd64</li>');
  for (const path of ['/status/workers/worker-9', '/status/workers/a%20b', '/status/workers/worker-9.json'])
    expect([path, (await api.fetch(path)).status]).toEqual([path, 404]);
});

it('the API has the same, to administrators with private runs and refusals', async () => {
  type Answer = { running: { package: string }[]; registered: { last_refusal: string | null } };
  const answerFor = async (key?: string): Promise<Answer> =>
    (await (await api.api('/workers/worker-1', {}, key)).json()) as Answer;
  const [stranger, administrator] = [await answerFor(), await answerFor(admin)];
  expect(stranger).toEqual(await (await api.fetch('/status/workers/worker-1.json')).json());
  expect(stranger.registered).toMatchObject({
    architectures: ['amd64'],
    last_seen_at: null,
    last_refusal: null,
  });
  expect(stranger.running.map((run) => run.package)).toEqual(['hello']);
  expect(administrator.running.map((run) => run.package)).toEqual(['hello', 'secret']);
  expect(administrator.registered.last_refusal).toBe('worker worker-1 is not registered for arm64');
  expect((await api.api('/workers/worker-9')).status).toBe(404);
});

it('an error of several packages has a page with its lines, its packages and its runs', async () => {
  const line = 'E: <b>no space</b> left in /tmp/a1';
  const [one, other] = [await api.submit('dash', { trigger: 'glibc/2.40-4' }), await api.submit('mawk')];
  await api.finish(one, { verdict: 'fail', error: runError(line) });
  await api.finish(other, { verdict: 'tmpfail', error: runError(line.replace('a1', 'b22')) });
  await api.finish(await api.submit('secret', { is_private: true }), {
    verdict: 'fail',
    error: runError(line),
  });
  const [signature] = (
    (await (await api.api('/signatures')).json()) as { signatures: { signature: string; count: number }[] }
  ).signatures;
  expect(signature).toMatchObject({ count: 2, packages: 2, first_run_id: one, last_run_id: other });
  const path = `/status/errors/${signature!.signature}`;
  await api.finish(await api.submit('sash'), { verdict: 'fail', error: runError('E: another') });
  const listed = async (query: string) => {
    const { items, next } = (await (await api.fetch(`/status/${query}`)).json()) as {
      items: { excerpt: { lines: string[] }; count: number }[];
      next: string | null;
    };
    return { items: items.map(({ excerpt, count }) => [excerpt.lines[0], count]), next };
  };
  const [shared, single] = [
    [line.replace('a1', 'b22'), 2],
    ['E: another', 1],
  ];
  expect(await listed('errors.json')).toEqual({ items: [shared, single], next: null });
  expect(await listed('new-errors.json')).toEqual({ items: [single, shared], next: null });
  expect((await listed('errors.json?package=das*')).items).toEqual([[line, 1]]);
  expect((await listed('errors.json?suite=trixie,bookworm&arch=amd64')).items).toHaveLength(2);
  expect((await listed('errors.json?suite=trixie')).items).toEqual([]);
  expect((await listed('errors.json?after=1')).items).toEqual([single]);
  expect((await api.fetch('/status/errors.json?after=500')).status).toBe(400);
  const list = rows(await pageOf(api, '/status/errors/'));
  expect(list[1]!.slice(0, 3)).toEqual(['E: &lt;b&gt;no space&lt;/b&gt; left in /tmp/b22', '2', '2']);
  const feed = await (await api.fetch('/status/new-errors.xml')).text();
  const titles = [...feed.matchAll(/<title[^>]*>(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?<\/title>/g)];
  expect(titles.map(([, title]) => title)).toEqual([
    'New errors',
    'E: another',
    expect.stringContaining('left in /tmp/b22'),
  ]);
  expect(feed).not.toContain('<b>');
  const html = await pageOf(api, path);
  expect(html).toContain('Seen 2 times in 2 packages on 1 suite and architecture, first on ');
  expect(rows(html)).toContainEqual(['dash', '1', expect.stringMatching(/ UTC$/)]);
  expect(html).not.toContain('secret');
  const data = (await (await api.fetch(`${path}.json`)).json()) as object;
  expect(data).toEqual(await (await api.api(`/signatures/${signature!.signature}`)).json());
  const run = `/packages/d/dash/bookworm/amd64/${one}/`;
  expect(await pageOf(api, run)).toContain(`href="${path}"`);
  for (const other of ['/status/errors/0123456789abcdef', '/status/errors/x'])
    expect([other, (await api.fetch(other)).status]).toEqual([other, 404]);
});

it('the head of each page has the notices of the deployment, and what is wrong where public runs wait', async () => {
  await api.submit('waits-too');
  const notice = '<p><em>Soon</em>: &lt;b&gt; <a href="https://example.org/">plan</a></p>';
  const wrong = await offering(null, () => pageOf(api, '/packages/'));
  expect(wrong).toContain(notice);
  expect(wrong).toMatch(/<a href="\/status\/queue\/">amd64: no worker<\/a>, since <time /);
  const stopped = await offering(offered, () => pageOf(api, '/packages/'));
  expect(stopped).toContain('amd64: its one worker takes no work');
  const sound = await offering({ ...offered, standing: 'sound' }, () => pageOf(api, '/packages/'));
  expect(sound).toContain(notice);
  expect(sound).not.toContain('class="trouble"');
  const first = await offering(null, () => pageOf(api, '/'));
  expect(first.match(/no worker/g)).toHaveLength(1);
  expect(first).toMatch(/<a href="\/status\/queue\/">amd64: no worker<\/a>, since <time /);
});

it('the first page shows recoveries beside new failures', async () => {
  for (const [name, ...verdicts] of [
    ['recovers', 'fail', 'pass'],
    ['breaks', 'pass', 'fail'],
  ] as const)
    for (const verdict of verdicts) await api.finish(await api.submit(name), { verdict });
  while (await api.database.statusProjection.step('amd64'));
  const [, failing = '', passing = ''] = (await pageOf(api, '/')).split(
    /<h3>(?:Began to fail|Pass again)<\/h3>/,
  );
  expect(failing).toContain('href="/packages/b/breaks/"');
  expect(failing).not.toContain('recovers');
  expect(passing).toContain('href="/packages/r/recovers/"');
});

it('the queues and a single queue have their figures by hour, drawn and in a table, and what made them grow', async () => {
  await awayFromNextHour();
  await api.submit('waits');
  await api.database.hourFigures.save('amd64', 4, null);
  const html = await pageOf(api, '/status/queue/?suite=bookworm&arch=amd64');
  expect(html).toContain('<title>Queue bookworm/amd64');
  expect(html).toMatch(/Since \d\d:00 UTC .*\d+ arrived, \d+ ended\./);
  expect(html).toMatch(/<figcaption>\S+ \d\d:00 UTC: 4 slots</);
  expect(rows(html)).toContainEqual(expect.arrayContaining([expect.stringMatching(/:00 UTC$/), '4']));
  const other = await pageOf(api, '/status/queue/?suite=trixie&days=1');
  expect(other).not.toContain('<td data-label="Suite">bookworm');
  expect((await api.fetch('/status/queue/?days=2')).status).toBe(400);
});
