import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@proctor/embedded';
import { parse } from 'yaml';
import type { OwnedProcess } from '../../../libs/embedded/src/owned-process';
import { TestUsers } from '../../support/nats-users';
import { startServer } from '../../../libs/embedded/src/server-process';

interface Composed {
  services: { nats: { command: string[]; configs: { source: string; target: string }[] } };
  configs: Record<string, { content: string }>;
}

let folder: string;
let server: OwnedProcess;
let monitor: string;

/** The nats-server of docker-compose.yml, with its files in a folder of ours. */
beforeAll(async () => {
  folder = join(process.env.PROCTOR_TEST_FOLDER!, `composed-${randomUUID()}`);
  await mkdir(folder);
  const { services, configs } = parse(await readFile('docker-compose.yml', 'utf8')) as Composed;
  const paths = new Map<string, string>();
  for (const { source, target } of services.nats.configs) {
    const path = join(folder, source);
    await writeFile(path, configs[source]!.content.replaceAll('/data', join(folder, 'data')));
    paths.set(target, path);
  }
  const users = new TestUsers(join(folder, 'users'));
  await mkdir(join(folder, 'accounts'));
  await writeFile(join(folder, 'accounts/accounts.conf'), await users.prepare('nats://nats:4222', []));
  const port = await freePort();
  monitor = `http://127.0.0.1:${port}`;
  server = await startServer({
    name: 'nats-server',
    program: process.env.PROCTOR_TEST_NATS_SERVER!,
    args: [
      ...services.nats.command.map((word) => paths.get(word) ?? word),
      ...['--addr', '127.0.0.1', '--port', String(await freePort()), '--http_port', String(port)],
    ],
    user: null,
    folder,
    logPath: join(folder, 'server.log'),
    isReady: () =>
      fetch(`${monitor}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    readyTimeoutMs: 30_000,
  });
});
afterAll(async () => {
  await server?.end('SIGTERM', 15_000);
  await rm(folder, { recursive: true, force: true });
});

const told = async (path: string) => (await fetch(monitor + path)).json() as Promise<Record<string, unknown>>;

it('the nats-server of docker-compose.yml lets the streams reserve as much as the server of npm start, whatever is free on the disk', async () => {
  expect(await told('/jsz')).toMatchObject({
    config: { max_storage: 16 * 1024 ** 4, store_dir: expect.stringContaining(folder) as string },
  });
});

it('the nats-server of docker-compose.yml lets in its users alone', async () => {
  expect(await told('/varz')).toMatchObject({ auth_required: true });
});
