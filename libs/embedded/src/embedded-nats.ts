import { chmod, chown, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port';
import { endProcess, findLeftOver } from './left-over';
import { ownedFolder } from './owned-folder';
import type { OwnedProcess } from './owned-process';
import { secretIn } from './secret';
import { startServer } from './server-process';
import { serverUser, type SystemUser } from './server-user';
import type { Ending, Supervised } from './supervised';

const READY_TIMEOUT_MS = 30_000;
const STOP_PATIENCE_MS = 15_000;
const PROBE_TIMEOUT_MS = 1_000;
const USER = 'proctor';
/**
 * What the streams may reserve. Left alone, the server takes three quarters of what is free on the disk at its start, and
 * does not bring back a stream that exceeds it when the disk has filled since. Enough for hundreds of architectures.
 */
const STREAM_BYTES_MAX = 64 * 1024 ** 3;

export interface EmbeddedNatsOptions {
  /** Holds its configuration, JetStream's files and the log. */
  folder: string;
  /** Path of nats-server, as findNatsServer() gives it. */
  binary: string;
  /** The clients' password; made with the file when there is none. */
  passwordFile: string;
  /** A free port when absent. */
  port?: number;
}

/** A real nats-server with JetStream on the loopback address, with its files in a folder of ours. */
export class EmbeddedNats implements Supervised {
  readonly name = 'nats';
  private server: OwnedProcess | null = null;
  private port: number | undefined;
  private password = '';

  constructor(private readonly options: EmbeddedNatsOptions) {
    this.port = options.port;
  }

  /** With the user and password that it asks for; known once the server was started. */
  get url(): string {
    if (this.port === undefined) throw new Error('nats-server was not started yet');
    return `nats://${USER}:${this.password}@127.0.0.1:${this.port}`;
  }

  get pid(): number | null {
    return this.server?.pid ?? null;
  }

  get ended(): Promise<Ending> {
    if (!this.server) throw new Error('nats-server was not started yet');
    return this.server.ended;
  }

  async start(): Promise<void> {
    const { folder, binary, passwordFile } = this.options;
    const user = await serverUser();
    await ownedFolder(folder, 0o711, user);
    const left = await findLeftOver(this.pidFile, this.configurationFile);
    if (left) await endProcess(left, 'SIGTERM', STOP_PATIENCE_MS);
    this.password = await secretIn(passwordFile);
    const port = (this.port ??= await freePort());
    await this.configure(port, user);
    this.server = await startServer({
      name: 'nats-server',
      program: binary,
      args: ['--config', this.configurationFile],
      user,
      folder,
      logPath: join(folder, 'server.log'),
      isReady: () => greets(port),
      readyTimeoutMs: READY_TIMEOUT_MS,
    });
  }

  async stop(): Promise<void> {
    await this.server?.end('SIGTERM', STOP_PATIENCE_MS);
  }

  /** For tests of what happens when it dies. */
  kill(signal: NodeJS.Signals): void {
    this.server?.kill(signal);
  }

  private get pidFile(): string {
    return join(this.options.folder, 'nats-server.pid');
  }

  private get configurationFile(): string {
    return join(this.options.folder, 'nats-server.conf');
  }

  private async configure(port: number, user: SystemUser | null): Promise<void> {
    await ownedFolder(join(this.options.folder, 'jetstream'), 0o700, user);
    const settings = {
      server_name: USER,
      host: '127.0.0.1',
      port,
      pid_file: this.pidFile,
      jetstream: { store_dir: join(this.options.folder, 'jetstream'), max_file_store: STREAM_BYTES_MAX },
      authorization: { user: USER, password: this.password },
    };
    // Its configuration language is a superset of JSON.
    await writeFile(this.configurationFile, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
    await chmod(this.configurationFile, 0o600);
    if (user) await chown(this.configurationFile, user.uid, user.gid);
  }
}

/** A nats-server says INFO to whoever connects, once JetStream is up. */
function greets(port: number): Promise<boolean> {
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
