import { createServer, type Server } from 'node:http';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Client } from '../support/client';
import { hostArchitecture } from '../support/host-architecture';
import { startProctor, type RunningProctor } from '../support/proctor';
import { buildPackages } from './build-packages';

const MINUTE_MS = 60_000;
jest.setTimeout(90 * MINUTE_MS);

/** The release that has a Node for the packages. */
const SUITE = 'trixie';
const MIRROR = 'http://deb.debian.org/debian';

let folder: string;
let archive: Server;
let proctor: RunningProctor;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-archive-'));
  await buildPackages(folder);
  archive = createServer((request, response) => {
    const file = createReadStream(join(folder, basename(decodeURIComponent(request.url!))));
    file.on('error', () => response.writeHead(404).end()).pipe(response);
  });
  await new Promise<void>((resolve) => archive.listen(0, '0.0.0.0', resolve));
});
afterAll(async () => {
  await proctor?.stop();
  archive?.close();
  await rm(folder, { recursive: true, force: true });
});

/** As testbeds reach it: the machine's loopback they do not. */
function archiveUrl(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (own === undefined) throw new Error('this machine has no address that a testbed could reach');
  return `http://${own.address}:${(archive.address() as AddressInfo).port}/`;
}

it('Proctor executes the tests of its own packages on unshare: they pass, but for the one that wants a machine', async () => {
  const arch = hostArchitecture();
  const sources = ['deb', 'deb-src'].map((kind) => `${kind} [trusted=yes] ${archiveUrl()} ./`);
  const suiteSources = { [SUITE]: ['deb', 'deb-src'].map((kind) => `${kind} ${MIRROR} ${SUITE} main`) };
  proctor = await startProctor({
    config: {
      proctor: { suites: [SUITE] },
      worker: { slots: 1, suitesAtStart: [SUITE], suiteSources },
      aptSources: { proctor: { lines: sources } },
    },
  });
  const client = Client.of(proctor);
  const runId = await client.submitOne(SUITE, arch, { package: 'proctor', 'extra-apt-sources': ['proctor'] });
  const run = await client.finished(runId, 80 * MINUTE_MS);
  const log = await (await fetch(`${proctor.url}${run.log_url}`)).text();
  const outcomes = [...log.matchAll(/^(?:\S+ )?(commands|service) +(PASS|FAIL|SKIP)\b/gm)];
  const tests = Object.fromEntries(outcomes.map(([, name, verdict]) => [name, verdict]));
  const rest = run.status === 'pass' ? '' : log.slice(-20_000);
  expect([run.status, tests, rest]).toEqual(['pass', { commands: 'PASS', service: 'SKIP' }, '']);
});
