import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ArchiveAway } from '../../slot/ports';
import { loadPinNames } from './pin-names';

/** What the server's release files call themselves. */
const SUITES: Record<string, string> = {
  '/debian/dists/trixie/InRelease': 'Suite: testing\nCodename: trixie\n',
  '/debian/dists/unstable/InRelease': 'Suite: unstable\nCodename: sid\n',
  '/own/dists/sid/InRelease': 'Suite: experimental\nCodename: sid\n',
  '/own/dists/nameless/InRelease': 'Date: today\n',
};

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const text = SUITES[request.url ?? ''];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await once(server, 'close');
});

const own = () => [`deb ${url}/debian bookworm main`, `deb ${url}/security bookworm-security main`];

it('the names to pin by are what the release files of the image’s archive say', async () => {
  const names = await loadPinNames(['trixie', 'unstable'], { own: own(), extra: [] }, []);
  expect([...names]).toEqual([
    ['trixie', 'testing'],
    ['unstable', 'unstable'],
  ]);
});

it('the names to pin by are looked for in the lines of the suite where there are extra sources', async () => {
  const extra = [`deb ${url}/own sid main`, `deb ${url}/own nameless main`];
  const names = await loadPinNames(['sid', 'nameless', 'trixie'], { own: own(), extra }, []);
  expect([...names]).toEqual([
    ['sid', 'experimental'],
    ['nameless', 'nameless'],
    ['trixie', 'trixie'],
  ]);
});

it('the names to pin by stay as they are where the server cannot be asked', async () => {
  const files = ['deb file:/srv/debian bookworm main'];
  await expect(loadPinNames(['trixie'], { own: files, extra: [] }, [])).resolves.toEqual(
    new Map([['trixie', 'trixie']]),
  );
  const proxy = [{ name: 'Acquire::https::Proxy', value: 'http://proxy.example:3128' }];
  const https = ['deb https://mirror.example/debian bookworm main'];
  await expect(loadPinNames(['trixie'], { own: https, extra: [] }, proxy)).resolves.toEqual(
    new Map([['trixie', 'trixie']]),
  );
});

it('the names to pin by are not guessed when the archive does not answer', async () => {
  const names = loadPinNames(['forky'], { own: own(), extra: [] }, []);
  await expect(names).rejects.toThrow(ArchiveAway);
  await expect(names).rejects.toThrow(
    /^the release file of the pinned suite forky .*\/dists\/forky\/InRelease: .*404/,
  );
});
