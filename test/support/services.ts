import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { nkeys } from '@nats-io/transport-node';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
// Jest resolves no '@proctor/...' in its global setup, hence the files themselves.
import { EmbeddedNats } from '../../libs/embedded/src/embedded-nats';
import { EmbeddedPostgres } from '../../libs/embedded/src/embedded-postgres';
import { Home } from '../../libs/embedded/src/home';
import { findNatsServer } from '../../libs/embedded/src/nats-binary';

/** The servers that all tests of one run of jest share; each test creates its own database. */
interface Services {
  folder: string;
  postgres: EmbeddedPostgres;
  nats: EmbeddedNats;
}

const PROJECT = join(__dirname, '../..');
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let running: Services | null = null;

/** Starts PostgreSQL and nats-server in a temporary folder; the tests find their addresses in the environment. */
export async function startServices(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-services-'));
  // The servers run as another user when the tests run as root.
  await chmod(folder, 0o711);
  await mkdir(join(folder, 'homes'));
  await chmod(join(folder, 'homes'), 0o711);
  const binary =
    process.env.PROCTOR_TEST_NATS_SERVER ?? (await findNatsServer(await natsPackage(), console.log)).path;
  const postgres = new EmbeddedPostgres({
    folder: join(folder, 'postgresql'),
    passwordFile: join(folder, 'postgres.password'),
    // The data lives as long as the tests: it is not needed after a power cut.
    settings: { max_connections: '300', fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  // The tests of single parts need no users of a deployment: one that may do everything.
  const operator = nkeys.createUser();
  const account = { jetstream: 'enabled', users: [{ nkey: operator.getPublicKey() }] };
  const accounts = `accounts: ${JSON.stringify({ PROCTOR: account })}\n`;
  const nats = new EmbeddedNats({ folder: join(folder, 'nats'), binary, accounts });
  running = { folder, postgres, nats };
  SIGNALS.forEach((signal) => process.once(signal, stopAndExit));
  try {
    await Promise.all([postgres.start(), nats.start()]);
  } catch (error) {
    await stopServices();
    throw error;
  }
  await promisify(execFile)(process.execPath, [join(PROJECT, 'scripts/client.mjs'), join(folder, 'client')]);
  process.env.PROCTOR_TEST_FOLDER = folder;
  process.env.PROCTOR_TEST_NATS_SERVER = binary;
  process.env.PROCTOR_TEST_DATABASE_URL = postgres.url;
  const seed = Buffer.from(operator.getSeed()).toString();
  process.env.PROCTOR_TEST_NATS_CREDENTIALS = JSON.stringify({ name: 'operator', url: nats.url, seed });
}

/** It is kept where `npm start` keeps it: nothing is fetched twice. */
async function natsPackage(): Promise<string> {
  return (await Home.findHome(process.env, PROJECT)).natsPackage;
}

export async function stopServices(): Promise<void> {
  if (!running) return;
  const { folder, postgres, nats } = running;
  running = null;
  SIGNALS.forEach((signal) => process.off(signal, stopAndExit));
  await Promise.all([postgres.stop(), nats.stop()]);
  await rm(folder, { recursive: true, force: true });
}

function stopAndExit(signal: NodeJS.Signals): void {
  void stopServices().finally(() => {
    // Ends this process the way the signal would have.
    process.kill(process.pid, signal);
  });
}
