import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

let api: RunningApi;
let folder: string;
beforeAll(async () => {
  api = await startApi();
  folder = await mkdtemp(join(tmpdir(), 'artifacts-'));
});
afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

const LARGE = Buffer.alloc(3_000_000, 'large ');

async function archive(): Promise<Buffer> {
  await mkdir(join(folder, 'deep'), { recursive: true });
  await writeFile(join(folder, 'deep/page.html'), '<script>alert(1)</script>');
  await writeFile(join(folder, 'deep/<img src=x>"#?%.txt'), 'odd');
  await writeFile(join(folder, 'deep/large'), LARGE);
  await writeFile(join(folder, 'empty'), '');
  const chunks: Buffer[] = [];
  for await (const chunk of create({ cwd: folder, portable: true }, ['./deep', './empty']))
    chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function finishedRun(name: string, parameters: Record<string, unknown> = {}): Promise<string> {
  const runId = await api.submit(name, parameters);
  await api.finish(runId, { files: { 'artifacts.tar.gz': await archive() } });
  return `/packages/${name[0]}/${name}/bookworm/amd64/${runId}/artifacts/`;
}

it('the artifacts of a run are listed with their sizes, and each is read at an address of its own', async () => {
  const path = await finishedRun('files');
  const html = await (await api.fetch(path)).text();
  const rows = [
    ...html.matchAll(
      /<td class="text"><a href="([^"]*)" download>([^<]*)<\/a><\/td>\s*<td class="number">([^<]*)</g,
    ),
  ];
  expect(rows.map(([, , name, size]) => [name, size])).toEqual([
    ['deep/&lt;img src=x&gt;&quot;#?%.txt', '3 bytes'],
    ['deep/large', '2.9 MiB'],
    ['deep/page.html', '25 bytes'],
    ['empty', '0 bytes'],
  ]);
  const contents = await Promise.all(
    rows.map(async ([, url]) => Buffer.from(await (await api.fetch(url!)).arrayBuffer())),
  );
  expect(contents.map(String)).toEqual(['odd', LARGE.toString(), '<script>alert(1)</script>', '']);
});

it('programs list the files of a run by the API, and read each byte for byte, with a key and without', async () => {
  const runId = Number(/(\d+)\/artifacts\/$/.exec(await finishedRun('listed'))![1]);
  const listed = (await (await api.api(`/runs/${runId}/artifacts`)).json()) as { files: { path: string }[] };
  expect(listed).toMatchObject({ run_id: runId, attempt: 1, archive_bytes: expect.any(Number), total: 4 });
  expect(listed.files).toContainEqual({ path: 'deep/page.html', bytes: 25 });
  expect(await (await api.fetch(`/data/v1/runs/${runId}/artifacts`)).json()).toEqual(listed);
  const names = ['deep/large', encodeURIComponent('deep/large')];
  for (const name of names) {
    const file = await api.api(`/runs/${runId}/artifacts/${name}?attempt=1`);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
    expect(Buffer.from(await file.arrayBuffer()).equals(LARGE)).toBe(true);
  }
  const open = await api.fetch(`/data/v1/runs/${runId}/artifacts/deep/page.html`);
  expect([await open.text(), open.headers.get('content-security-policy')]).toEqual([
    '<script>alert(1)</script>',
    "default-src 'none'; sandbox",
  ]);
  const missing = await api.api(`/runs/${runId}/artifacts/deep`);
  expect([missing.status, await missing.json()]).toMatchObject([
    404,
    { detail: `Run ${runId} left no such file.` },
  ]);
  const bare = await api.submit('bare');
  await api.finish(bare);
  expect(await (await api.api(`/runs/${bare}/artifacts`)).json()).toEqual({
    run_id: bare,
    attempt: 1,
    archive_bytes: null,
    files: [],
    total: 0,
  });
});

it('no browser takes an artifact for a page of this server', async () => {
  const path = await finishedRun('hostile');
  const file = await api.fetch(`${path}deep/page.html`);
  const headers = (response: Response, names: string[]) => names.map((name) => response.headers.get(name));
  const names = ['content-type', 'content-disposition', 'x-content-type-options', 'content-security-policy'];
  expect(headers(file, names)).toEqual([
    'application/octet-stream',
    `attachment; filename="page.html"; filename*=UTF-8''page.html`,
    'nosniff',
    "default-src 'none'; sandbox",
  ]);
  const text = await api.fetch(`${path}deep/page.html?text=yes`);
  expect(headers(text, names)).toEqual([
    'text/plain; charset=utf-8',
    'inline',
    'nosniff',
    "default-src 'none'; sandbox",
  ]);
});

it.each(['nothing', '..%2f..%2flog.gz', 'deep%2f..%2fempty', 'deep', '%00', 'deep/../../raw%00'])(
  'there is no artifact %s',
  async (name) => {
    const response = await api.fetch(`${await finishedRun('missing')}${name}`);
    expect(response.status).toBe(404);
  },
);

it('a private run has no artifacts for strangers, and a run without any says so', async () => {
  const path = await finishedRun('secret', { is_private: true });
  expect((await api.fetch(path)).status).toBe(404);
  expect((await api.fetch(`${path}empty`)).status).toBe(404);
  const own = await api.fetch(`${path}empty`, { headers: { 'Auth-Key': api.keys.alice } });
  expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'private, no-store, no-transform']);
  const runId = await api.submit('nothing');
  await api.finish(runId);
  const html = await (await api.fetch(`/packages/n/nothing/bookworm/amd64/${runId}/artifacts/`)).text();
  expect(html).toContain('This attempt has no artifacts.');
});
