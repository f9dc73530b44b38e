import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './command';
import { findFreePort } from './free-port';
import { stopProcess, findServers } from './left-over';
import { mendReadable, prepareFolder } from './owned-files';
import type { OwnedProcess } from './owned-process';
import { removeStalePidFile } from './postmaster-pid';
import { postgresBinaries, type PostgresBinaries } from './postgres-binaries';
import { loadSecret } from './secret';
import { startServer } from './server-process';
import { withAdvice } from './server-trouble';
import type { SystemUser } from './command';
import { requireUserName, serverUser } from './server-user';
import type { Ending, SupervisedProcess } from './supervised';

/** PostgreSQL's fast shutdown: rolls back open transactions and ends. */
const FAST_SHUTDOWN = 'SIGINT';
const STOP_PATIENCE_MS = 30_000;
const ROLE = 'proctor';

interface EmbeddedPostgresOptions {
  /** Folder for the data, the server's log and, if needed, a copy of its programs. */
  folder: string;
  /** File with the superuser's password; created if missing. */
  passwordFile: string;
  /** Any free port by default. */
  port?: number;
  /** postgresql.conf settings, e.g. `{ max_connections: '200' }`. */
  settings?: Record<string, string>;
}

/** A real PostgreSQL server on the loopback address, with its data in our folder. */
export class EmbeddedPostgres implements SupervisedProcess {
  readonly name = 'postgres';
  private server: OwnedProcess | null = null;
  private port: number | undefined;
  private password = '';

  constructor(private readonly options: EmbeddedPostgresOptions) {
    this.port = options.port;
  }

  /** Address for the superuser and its database; known once the server has started. */
  get url(): string {
    if (this.port === undefined) throw new Error('PostgreSQL was not started yet');
    return `postgres://${ROLE}:${this.password}@127.0.0.1:${this.port}/${ROLE}`;
  }

  get pid(): number | null {
    return this.server?.pid ?? null;
  }

  get whenEnded(): Promise<Ending> {
    if (!this.server) throw new Error('PostgreSQL was not started yet');
    return this.server.ending;
  }

  /** The major version of the data, e.g. `18`; known once the server has started. */
  async version(): Promise<string> {
    return (await readFile(join(this.dataFolder, 'PG_VERSION'), 'utf8')).trim();
  }

  /** @throws Error with the remedy, if the cause is a setting of the machine */
  async start(): Promise<void> {
    try {
      await this.startOnce();
    } catch (error) {
      throw withAdvice('PostgreSQL', error);
    }
  }

  private async startOnce(): Promise<void> {
    const { folder } = this.options;
    const user = await serverUser();
    if (!user) requireUserName();
    await prepareFolder(folder, 0o711, user);
    const programs = join(folder, 'programs');
    await mendReadable(programs);
    const binaries = await postgresBinaries(user, programs);
    await this.stopLeftOver();
    const isNew = !existsSync(this.options.passwordFile);
    this.password = await loadSecret(this.options.passwordFile);
    if (existsSync(this.dataFolder)) {
      await this.mend(user);
      if (isNew) await this.setPassword(binaries, user);
    } else await this.initialise(binaries, user);
    const port = (this.port ??= await findFreePort());
    this.server = await startServer({
      name: 'PostgreSQL',
      program: binaries.postgres,
      args: ['-D', this.dataFolder, ...this.settings(port)],
      user,
      folder,
      endSignal: FAST_SHUTDOWN,
      logPath: join(folder, 'server.log'),
      isReady: (pid) => this.isReady(pid),
    });
  }

  async stop(): Promise<void> {
    await this.server?.stop(FAST_SHUTDOWN, STOP_PATIENCE_MS);
  }

  /** Removes a server that was not started here, with its data; a running one is stopped first. */
  async remove(): Promise<void> {
    await this.stopLeftOver();
    await rm(this.options.folder, { recursive: true, force: true });
  }

  /** Sends a signal, in tests of a server that dies: SIGQUIT ends it at once, like a crash. */
  kill(signal: NodeJS.Signals): void {
    this.server?.kill(signal);
  }

  private get dataFolder(): string {
    return join(this.options.folder, 'data');
  }

  private settings(port: number): string[] {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      // Independent of the machine's time zone.
      timezone: 'UTC',
      log_timezone: 'UTC',
      ...this.options.settings,
    };
    return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  }

  /** A server that outlived its supervisor, or its remains, still holds the data folder. */
  private async stopLeftOver(): Promise<void> {
    const folder = this.dataFolder;
    const isServer = (program: string): boolean => program === 'postgres';
    for (const server of findServers({ folder, isServer })) {
      await stopProcess(server, FAST_SHUTDOWN, STOP_PATIENCE_MS);
    }
  }

  /** Corrects harmless things with which PostgreSQL would refuse to start. */
  private async mend(user: SystemUser | null): Promise<void> {
    await prepareFolder(this.dataFolder, 0o700, user);
    await removeStalePidFile(join(this.dataFolder, 'postmaster.pid'));
  }

  /**
   * Sets the password, because restored data may come without the file. No other process can use the data meanwhile.
   */
  private async setPassword({ postgres }: PostgresBinaries, user: SystemUser | null): Promise<void> {
    await runCommand(postgres, ['--single', '-j', '-D', this.dataFolder, 'postgres'], {
      user,
      cwd: this.options.folder,
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      input: `ALTER ROLE ${ROLE} PASSWORD '${this.password}'`,
    });
  }

  /**
   * Creates the data under another name and renames it when it is complete: an interrupted start leaves nothing
   * incomplete.
   */
  private async initialise(binaries: PostgresBinaries, user: SystemUser | null): Promise<void> {
    const { folder } = this.options;
    const data = `${this.dataFolder}.new`;
    await rm(data, { recursive: true, force: true });
    const secrets = await mkdtemp(join(folder, 'initdb-'));
    try {
      const passwordCopy = join(secrets, 'password');
      await writeFile(passwordCopy, this.password, { mode: 0o600 });
      if (user) for (const path of [secrets, passwordCopy]) await chown(path, user.uid, user.gid);
      const as = { user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
      await runCommand(
        binaries.initdb,
        [
          ...['-D', data, '-U', ROLE, `--pwfile=${passwordCopy}`, '-A', 'scram-sha-256'],
          ...['-E', 'UTF8', '--locale=C', '--no-instructions'],
        ],
        as,
      );
      const createDatabase = { ...as, input: `CREATE DATABASE ${ROLE}` };
      await runCommand(binaries.postgres, ['--single', '-j', '-D', data, 'postgres'], createDatabase);
    } finally {
      await rm(secrets, { recursive: true, force: true });
    }
    await rename(data, this.dataFolder);
  }

  /** The postmaster writes its state to the eighth line of its pid file; a killed one leaves the file. */
  private async isReady(pid: number): Promise<boolean> {
    const text = await readFile(join(this.dataFolder, 'postmaster.pid'), 'utf8').catch(() => '');
    const lines = text.split('\n');
    return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
  }
}
