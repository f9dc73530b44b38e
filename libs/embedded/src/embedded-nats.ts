import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { findFreePort } from './free-port';
import { stopProcess, type LeftOver, findServers } from './left-over';
import { mendMode, prepareFolder, replaceFile } from './owned-files';
import type { OwnedProcess } from './owned-process';
import { startServer } from './server-process';
import { withAdvice } from './server-trouble';
import type { SystemUser } from './command';
import { serverUser } from './server-user';
import type { Ending, SupervisedProcess } from './supervised';

const STOP_PATIENCE_MS = 15_000;
const PROBE_TIMEOUT_MS = 1_000;
/** The file is in the folder of the configuration, since nats-server includes files from no other folder. */
const ACCOUNTS_FILE = 'accounts.conf';
const CONFIGURATION_FILE = 'nats-server.conf';
/** Public keys and settings, no secrets. */
const FILE_MODE = 0o644;
/**
 * The disk space that the streams may reserve; it is not allocated. By default the server takes three quarters of the
 * free disk space at its start, and does not restore a stream that exceeds this if the disk has less space later.
 * Enough for thousands of workers.
 */
const STREAM_BYTES_MAX = 16 * 1024 ** 4;
/**
 * Length of a line of its protocol, and so of a subject: it keeps each subject of a stream in memory. Ours have some
 * hundred bytes.
 */
const LINE_BYTES_MAX = 1_024;
/** A vanished client frees its connection within three of these intervals: a worker may have only a few. */
const PING_INTERVAL = '20s';

interface EmbeddedNatsOptions {
  /** Folder for its configuration, JetStream's files and the log. */
  folder: string;
  /** Path of nats-server, from findNatsServer(). */
  binary: string;
  /** Its first accounts, as text: public keys, no secrets. */
  accounts: string;
  /** Any free port by default. */
  port?: number;
}

/** A real nats-server with JetStream on the loopback address, with its files in our folder. */
export class EmbeddedNats implements SupervisedProcess {
  readonly name = 'nats';
  private server: OwnedProcess | null = null;
  private port: number | undefined;

  constructor(private readonly options: EmbeddedNatsOptions) {
    this.port = options.port;
  }

  /** Known once the server has started, or if its port is given. */
  get url(): string {
    if (this.port === undefined) throw new Error('nats-server was not started yet');
    return `nats://127.0.0.1:${this.port}`;
  }

  get pid(): number | null {
    return this.server?.pid ?? null;
  }

  get whenEnded(): Promise<Ending> {
    if (!this.server) throw new Error('nats-server was not started yet');
    return this.server.ending;
  }

  async start(): Promise<void> {
    const { folder, binary, accounts } = this.options;
    const user = await serverUser();
    await prepareFolder(folder, 0o711, user);
    for (const server of findServers(natsIn(folder))) await stopProcess(server, 'SIGTERM', STOP_PATIENCE_MS);
    // A process named there belongs to an earlier life.
    await rm(pidFile(folder), { recursive: true, force: true });
    // After its first start the accounts may have changed: see changeAccounts.
    if (this.server) await mendMode(join(folder, ACCOUNTS_FILE), FILE_MODE);
    else await writeAccounts(folder, accounts);
    const port = (this.port ??= await findFreePort());
    await this.configure(port, user);
    this.server = await startServer({
      name: 'nats-server',
      program: binary,
      args: ['--config', configurationFile(folder)],
      user,
      folder,
      endSignal: 'SIGTERM',
      logPath: logFile(folder),
      isReady: () => isServing(port),
    }).catch((error: unknown) => {
      throw withAdvice('nats-server', error);
    });
  }

  async stop(): Promise<void> {
    await this.server?.stop('SIGTERM', STOP_PATIENCE_MS);
  }

  /** Sends a signal, in tests of a server that dies. */
  kill(signal: NodeJS.Signals): void {
    this.server?.kill(signal);
  }

  private async configure(port: number, user: SystemUser | null): Promise<void> {
    const { folder } = this.options;
    await prepareFolder(join(folder, 'jetstream'), 0o700, user);
    const settings = {
      server_name: 'proctor',
      host: '127.0.0.1',
      port,
      pid_file: pidFile(folder),
      max_control_line: LINE_BYTES_MAX,
      ping_interval: PING_INTERVAL,
      jetstream: { store_dir: join(folder, 'jetstream'), max_file_store: STREAM_BYTES_MAX },
    };
    // Values are JSON; its configuration language is a superset of it.
    const lines = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    const text = [...lines, `include ${ACCOUNTS_FILE}`, ''].join('\n');
    await replaceFile(configurationFile(folder), text, FILE_MODE, user);
  }
}

function pidFile(folder: string): string {
  return join(folder, 'nats-server.pid');
}

function configurationFile(folder: string): string {
  return join(folder, CONFIGURATION_FILE);
}

/** The log of the nats-server of this folder. */
export function logFile(folder: string): string {
  return join(folder, 'server.log');
}

/** The pid of the running nats-server of this folder; null: none runs. */
export function runningNats(folder: string): number | null {
  return findServers(natsIn(folder))[0]?.pid ?? null;
}

/** Writes the accounts that the nats-server of this folder reads at its start, or at a reload. */
export async function writeAccounts(folder: string, accounts: string): Promise<void> {
  await replaceFile(join(folder, ACCOUNTS_FILE), accounts, FILE_MODE, await serverUser());
}

/** It works in its folder, with its configuration; its program may have any name. */
function natsIn(folder: string): LeftOver {
  return {
    folder,
    isServer: (_program, args) => basename(args[args.indexOf('--config') + 1] ?? '') === CONFIGURATION_FILE,
  };
}

/** A nats-server sends INFO to each client that connects, once JetStream is up. */
function isServing(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', timeout: PROBE_TIMEOUT_MS });
  return new Promise((resolve) => {
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (data) => end(data.toString('latin1').startsWith('INFO ')));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
    socket.once('close', () => end(false));
  });
}
