import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { connectBus, parseCredentials, sendSignals, type Credentials } from '@proctor/bus';
import { findFreePort, isPortTaken } from '@proctor/embedded';
import type { OwnedProcess } from '@libs/embedded/src/owned-process';
import { startServer } from '@libs/embedded/src/server-process';
import { Authority } from '@test/support/certificates';
import { TestUsers } from '@test/support/nats-users';
import { PATIENCE_MS } from '@test/support/until';
import { ownNats } from './nats-server';

Logger.overrideLogger(false);

let folder: string;
let port: number;
let server: OwnedProcess;
let own: Authority;
let foreign: Authority;
let seed: string;

beforeAll(async () => {
  folder = join(process.env.PROCTOR_TEST_FOLDER!, `tls-${randomUUID()}`);
  await mkdir(folder);
  [own, foreign] = [await Authority.make(folder, 'own'), await Authority.make(folder, 'foreign')];
  const { certificate, key } = await own.sign('server', 'IP:127.0.0.1');
  port = await findFreePort();
  const users = new TestUsers(join(folder, 'users'));
  await writeFile(join(folder, 'accounts.conf'), await users.prepare(`nats://127.0.0.1:${port}`, []));
  seed = (await users.read('api')).seed;
  const settings = {
    ...{ host: '127.0.0.1', port, jetstream: { store_dir: join(folder, 'jetstream') } },
    // Of two seconds a busy machine may need more, and the server ends the connection.
    tls: { cert_file: certificate, key_file: key, timeout: 30 },
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  await writeFile(join(folder, 'server.conf'), [...lines, 'include accounts.conf', ''].join('\n'));
  server = await startServer({
    name: 'nats-server',
    program: process.env.PROCTOR_TEST_NATS_SERVER!,
    args: ['--config', join(folder, 'server.conf')],
    user: null,
    folder,
    logPath: join(folder, 'server.log'),
    isReady: () => isPortTaken('127.0.0.1', port),
  });
});
afterAll(async () => {
  await server?.stop('SIGTERM', 15_000);
  await rm(folder, { recursive: true, force: true });
});

function credentials(url: string, ca?: string): Credentials {
  return parseCredentials(JSON.stringify({ name: 'api', url, seed, ca }), 'api.json');
}

/** Rejects when it cannot connect: unlike a bus, it does not wait for a server that may come. */
const connect = (to: Credentials) => sendSignals(to, ['proctor.command.amd64.orders'], PATIENCE_MS);

it('the bus connects, encrypted, to the server whose certificate the authority has signed', async () => {
  const trusted = credentials(`tls://127.0.0.1:${port}`, own.certificate);
  await connect(trusted);
  const bus = await connectBus(trusted);
  await bus.flush();
  await bus.close();
});

it('the bus takes no certificate of a foreign authority', async () => {
  await expect(connect(credentials(`tls://127.0.0.1:${port}`, foreign.certificate))).rejects.toThrow(
    /certificate/i,
  );
});

it('the bus takes no certificate of another host', async () => {
  await expect(connect(credentials(`tls://localhost:${port}`, own.certificate))).rejects.toThrow(
    /does not match|altnames/i,
  );
});

it('the bus takes no tls:// without an authority', () => {
  expect(() => credentials(`tls://127.0.0.1:${port}`)).toThrow('ca: missing');
});

it('the bus does not trust a server because it asks for encryption', async () => {
  await expect(connect(credentials(`nats://127.0.0.1:${port}`))).rejects.toThrow(/certificate/i);
});

it('the bus does not speak in the open with a server that offers no encryption', async () => {
  const plain = await ownNats();
  try {
    const { seed: key } = await plain.users.read('api');
    const { host } = new URL(plain.nats.url);
    await expect(connect({ ...credentials(`tls://${host}`, own.certificate), seed: key })).rejects.toThrow(
      /tls/i,
    );
  } finally {
    await plain.remove();
  }
});
