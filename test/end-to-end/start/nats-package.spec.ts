import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '@libs/embedded/src/command';
import { chooseNatsServer } from '@libs/embedded/src/nats-binary';
import { unpackDebianPackage, unpackFromRelease } from '@libs/embedded/src/unpacked-packages';

let folder: string;
let unpacked: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nats-package-'));
  await chmod(folder, 0o711);
  unpacked = join(folder, 'nats-server');
});
afterEach(() => rm(folder, { recursive: true }));

const version = (): Promise<string> => runCommand(join(unpacked, 'usr/sbin/nats-server'), ['--version']);

it("the search for nats-server unpacks a nats-server that runs from Debian's package, and leaves nothing else", async () => {
  await unpackDebianPackage('nats-server', unpacked);
  expect(await version()).toMatch(/^nats-server: v\d+\.\d+/);
  expect(await readdir(folder)).toEqual(['nats-server']);
});

it("the search for nats-server takes that of Debian's forky over the one before, and again when nothing can be fetched", async () => {
  await mkdir(unpacked);
  await writeFile(join(unpacked, 'of-an-earlier-one'), '');
  const fetch = (release: string | null) => unpackFromRelease('nats-server', release!, unpacked);
  const first = await chooseNatsServer(
    { own: [], proxyVariables: [], folder: unpacked, download: fetch },
    () => undefined,
  );
  expect(first.version).toMatch(/^2\.(1[3-9]|[2-9]\d)\.|^[3-9]\./);
  expect(await readdir(folder)).toEqual(['nats-server']);
  expect(await readdir(unpacked)).not.toContain('of-an-earlier-one');
  const offline = () => Promise.reject(new Error('nothing may be fetched'));
  const again = await chooseNatsServer(
    { own: [], proxyVariables: [], folder: unpacked, download: offline },
    () => undefined,
  );
  expect(again).toEqual(first);
});

it('the search for nats-server leaves what there is when the fetched one does not run here', async () => {
  await unpackDebianPackage('nats-server', unpacked);
  const before = await version();
  const refuse = () => Promise.reject(new Error('GLIBC_2.99 not found'));
  await expect(unpackFromRelease('nats-server', 'forky', unpacked, refuse)).rejects.toThrow('GLIBC_2.99');
  expect(await version()).toBe(before);
  expect(await readdir(folder)).toEqual(['nats-server']);
});

describe('mirrors', () => {
  let server: Server;
  let requestPaths: string[];

  beforeEach(async () => {
    requestPaths = [];
    server = createServer((request, response) => {
      requestPaths.push(request.url!);
      const isRelease = request.url === '/debian/dists/forky/Release';
      response.writeHead(isRelease ? 200 : 404).end(isRelease ? 'Origin: Debian\nCodename: forky\n' : '');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it("a mirror of the machine's own is asked, and refused when it is not signed by Debian, even where apt would take it", async () => {
    const sources = join(folder, 'sources.list');
    const { port } = server.address() as AddressInfo;
    await writeFile(sources, `deb [trusted=yes] http://127.0.0.1:${port}/debian bookworm main\n`);
    const settings = {
      'Dir::Etc::sourcelist': sources,
      'Dir::Etc::sourceparts': '/dev/null',
      'Acquire::AllowInsecureRepositories': 'true',
      'APT::Get::AllowUnauthenticated': 'true',
      'Acquire::http::Proxy': 'DIRECT',
    };
    const lines = Object.entries(settings).map(([key, value]) => `${key} "${value}";\n`);
    await writeFile(join(folder, 'apt.conf'), lines.join(''));
    process.env.APT_CONFIG = join(folder, 'apt.conf');
    try {
      await expect(unpackFromRelease('nats-server', 'forky', unpacked)).rejects.toThrow(/is not signed/);
    } finally {
      delete process.env.APT_CONFIG;
    }
    expect(requestPaths).toContain('/debian/dists/forky/Release');
    expect((await readdir(folder)).sort()).toEqual(['apt.conf', 'sources.list']);
  });
});
