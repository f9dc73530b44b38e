import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NatsUsers } from '@proctor/bus';
import { findFreePort } from '@proctor/embedded';
import type { OwnedProcess } from '@libs/embedded/src/owned-process';
import { startServer } from '@libs/embedded/src/server-process';

let folder: string;
let server: OwnedProcess;
let monitor: string;
let natsPort: number;
let users: NatsUsers;

/** The nats-server that deploy/nats/nats-server.conf describes, for containers and systemd alike, with its files in a folder of ours. */
beforeAll(async () => {
  folder = join(process.env.PROCTOR_TEST_FOLDER!, `composed-${randomUUID()}`);
  await mkdir(folder);
  await promisify(execFile)('sh', ['deploy/certificate.sh', folder, 'nats', 'localhost', '127.0.0.1']);
  const text = await readFile('deploy/nats/nats-server.conf', 'utf8');
  const here = text
    .replaceAll('/etc/proctor/nats', folder)
    .replaceAll('/var/lib/proctor-nats', join(folder, 'data'));
  // Options of the command line are no match for `http` of a configuration.
  await writeFile(join(folder, 'nats-server.conf'), here.replace(/^http:.*$/m, ''));
  users = new NatsUsers(join(folder, 'users'));
  natsPort = await findFreePort();
  await users.prepare(`tls://127.0.0.1:${natsPort}`, await readFile(join(folder, 'ca.pem'), 'utf8'));
  await writeFile(join(folder, 'accounts.conf'), await users.accountsText([]));
  const port = await findFreePort();
  monitor = `http://127.0.0.1:${port}`;
  server = await startServer({
    name: 'nats-server',
    program: process.env.PROCTOR_TEST_NATS_SERVER!,
    args: [
      ...['--config', join(folder, 'nats-server.conf')],
      ...['--addr', '127.0.0.1', '--port', String(natsPort), '--http_port', String(port)],
    ],
    user: null,
    folder,
    logPath: join(folder, 'server.log'),
    isReady: () =>
      fetch(`${monitor}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
});
afterAll(async () => {
  await server?.stop('SIGTERM', 15_000);
  await rm(folder, { recursive: true, force: true });
});

const valuesOf = async (path: string) =>
  (await fetch(monitor + path)).json() as Promise<Record<string, unknown>>;

it('the nats-server of a deployment lets the streams reserve as much as the server of npm start, whatever is free on the disk', async () => {
  expect(await valuesOf('/jsz')).toMatchObject({
    config: { max_storage: 16 * 1024 ** 4, store_dir: expect.stringContaining(folder) as string },
  });
});

it('the nats-server of a deployment lets in its users alone', async () => {
  expect(await valuesOf('/varz')).toMatchObject({ auth_required: true, tls_required: true });
});
