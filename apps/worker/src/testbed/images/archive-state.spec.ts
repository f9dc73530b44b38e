import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadArchiveState, releaseUrls } from './archive-state';

let server: Server;
let url: string;
const requestLines: string[] = [];
/** The logins that the mirror and the proxy get with each request. */
const logins: (string | undefined)[][] = [];
let release: string;
beforeEach(async () => {
  requestLines.length = logins.length = 0;
  release = 'Origin: Debian\nDate: Sat, 21 Nov 2026 20:00:00 UTC\nSHA256:\n';
  server = createServer((request, response) => {
    requestLines.push(`${request.url} ${request.headers.range}`);
    logins.push([request.headers.authorization, request.headers['proxy-authorization']]);
    response.writeHead(request.url?.includes('gone') ? 404 : 200).end(release);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.close();
  await once(server, 'close');
});

it('the release files of an archive are those of its binary sources', () => {
  const lines = [
    'deb [signed-by=/k.gpg] http://mirror.example/debian/ trixie main',
    'deb-src http://mirror.example/debian trixie main',
    'deb http://mirror.example/own ./',
  ];
  expect(releaseUrls(lines)).toEqual([
    'http://mirror.example/debian/dists/trixie/InRelease',
    'http://mirror.example/own/./InRelease',
  ]);
});

it('the state of an archive changes with the date of a release, and only the beginning is asked for', async () => {
  const lines = [`deb ${url}/debian trixie main`, `deb ${url}/debian trixie-updates main`];
  const before = await loadArchiveState(lines, []);
  expect(before).toBe('Sat, 21 Nov 2026 20:00:00 UTC\nSat, 21 Nov 2026 20:00:00 UTC');
  expect(await loadArchiveState(lines, [])).toBe(before);
  expect(requestLines).toContain('/debian/dists/trixie-updates/InRelease bytes=0-2047');
  release = release.replace('20:00', '21:00');
  expect(await loadArchiveState(lines, [])).not.toBe(before);
});

it('only the start is read of a release file that is sent completely', async () => {
  release += 'x'.repeat(50_000_000);
  expect(await loadArchiveState([`deb ${url}/debian trixie main`], [])).toBe('Sat, 21 Nov 2026 20:00:00 UTC');
});

it('the state of an archive is unknown where the server does not answer it', async () => {
  expect(await loadArchiveState([`deb ${url}/gone trixie main`], [])).toBeNull();
  expect(await loadArchiveState(['deb http://127.0.0.1:1/debian trixie main'], [])).toBeNull();
  expect(await loadArchiveState(['deb file:/srv/debian trixie main'], [])).toBeNull();
  expect(await loadArchiveState([], [])).toBeNull();
  release = 'no release';
  expect(await loadArchiveState([`deb ${url}/debian trixie main`], [])).toBeNull();
});

it('the state of an archive is asked for through the machine’s proxy', async () => {
  const settings = [{ name: 'Acquire::http::Proxy', value: url }];
  const state = await loadArchiveState(['deb http://mirror.example/debian trixie main'], settings);
  expect(state).toBe('Sat, 21 Nov 2026 20:00:00 UTC');
  expect(requestLines).toEqual(['http://mirror.example/debian/dists/trixie/InRelease bytes=0-2047']);
});

it('a proxy and a mirror each get their own user and password, and no address holds them', async () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const proxy = url.replace('//', '//us%40er:pa%3Ass@');
  const settings = [{ name: 'Acquire::http::Proxy', value: proxy }];
  const state = await loadArchiveState(['deb http://one:two@mirror.example/debian trixie main'], settings);
  await loadArchiveState(['deb http://mirror.example/debian trixie main'], settings);
  await loadArchiveState([`deb ${url.replace('//', '//one:two@')}/debian trixie main`], []);
  expect(state).toBe('Sat, 21 Nov 2026 20:00:00 UTC');
  expect(logins).toEqual([
    [basic('one:two'), basic('us@er:pa:ss')],
    [undefined, basic('us@er:pa:ss')],
    [basic('one:two'), undefined],
  ]);
  expect(requestLines.map((request) => request.split(' ')[0])).toEqual([
    'http://mirror.example/debian/dists/trixie/InRelease',
    'http://mirror.example/debian/dists/trixie/InRelease',
    '/debian/dists/trixie/InRelease',
  ]);
});
