import { readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  mendMode,
  mendReadable,
  nearestExisting,
  prepareFolder,
  removeUnlessFile,
  requireFile,
} from './owned-files';
import { mayReach, serverUser } from './server-user';

/** The home of a root process when the servers' user cannot enter the project's folder. */
const ROOT_HOME = '/var/lib/proctor';
const SECRETS = 'secrets';
/** The file system of /proc in statfs(2), where Node.js would try to create a folder forever. */
const PROC_MAGIC = 0x9fa0;

/** Each folder that was a home has one of these. */
const OURS = [SECRETS, 'postgresql', 'nats', 'nats-server-package', 'worker', 'store', 'admin.key'];

/** The folder for everything that Proctor writes on a machine, and the names in it. */
export class Home {
  constructor(
    readonly path: string,
    /** Why this folder was chosen, when it was not named and is not the project's own. */
    readonly reason: string | null = null,
  ) {}

  /**
   * Returns `PROCTOR_HOME`; else `.proctor` in the project; for root, /var/lib/proctor if the servers' user cannot
   * reach the project's folder. If the environment names a database, the servers' user is not needed: then it need not
   * reach the home.
   * @throws Error if `PROCTOR_HOME` is a file, or that user cannot reach it
   */
  static async findHome(env: NodeJS.ProcessEnv, projectFolder: string): Promise<Home> {
    const variable = env['PROCTOR_HOME'];
    const path = variable ? resolve(variable) : join(projectFolder, '.proctor');
    await requireNoFile(path);
    if (variable && env['PROCTOR_DATABASE_URL']) return new Home(path);
    const user = await serverUser();
    if (!user || (await mayReach(user, await firstToReach(path)))) return new Home(path);
    const problem = `${path} cannot be reached by the user ${user.name}, which runs the servers for root`;
    if (variable) throw new Error(`PROCTOR_HOME: ${problem}; choose a folder such as ${ROOT_HOME}`);
    return new Home(ROOT_HOME, problem);
  }

  /**
   * Creates the folders: users who know a name in them may enter, the secrets are for their owner only. Existing files
   * get the modes that they should have; the folders of the servers and of the worker correct their own.
   */
  async prepare(): Promise<void> {
    try {
      await this.requireOurs();
      await prepareFolder(this.path, 0o711, null);
      await prepareFolder(this.secretsFolder, 0o700, null);
      await prepareFolder(this.processesFolder, 0o755, null);
      await this.mend();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOSPC' || code === 'EROFS') {
        const what = code === 'ENOSPC' ? 'the disk is full' : 'the disk is read-only';
        throw new Error(`${this.path}: ${what}; choose another folder with PROCTOR_HOME`, { cause: error });
      }
      if (code !== 'EACCES' && code !== 'EPERM') throw error;
      throw new Error(
        `${this.path} belongs to another user, or lies in a folder of another user; run as that user, or choose another` +
          ' folder with PROCTOR_HOME',
        { cause: error },
      );
    }
  }

  /**
   * Files in a folder of other users would change owner and mode with it. @throws when this is such a folder, or can
   * never be a home
   */
  private async requireOurs(): Promise<void> {
    const nearest = await nearestExisting(this.path);
    if ((await statfs(nearest)).type === PROC_MAGIC)
      throw new Error(
        `PROCTOR_HOME: ${this.path} lies in ${nearest}, where no files can be made; choose another folder`,
      );
    const names = nearest === this.path ? await readdir(nearest) : [];
    const isOurs = OURS.some((name) => names.includes(name));
    const foreign = names.find((name) => !name.startsWith('.') && name !== 'lost+found');
    if (isOurs || foreign === undefined) return;
    throw new Error(
      `PROCTOR_HOME: ${this.path} holds other things than Proctor's, such as ${foreign}; choose a folder of its own, such as ` +
        join(this.path, 'proctor'),
    );
  }

  private async mend(): Promise<void> {
    for (const path of [this.adminKey, this.adminPassword, this.secret('postgres')]) await requireFile(path);
    for (const path of [this.adminKey, this.adminPassword]) await mendMode(path, 0o600);
    const processNames = await readdir(this.processesFolder);
    const processFiles = processNames.map((name) => join(this.processesFolder, name));
    for (const path of [this.lock, this.databaseUrl, ...processFiles]) await removeUnlessFile(path);
    for (const path of [this.lock, ...processFiles]) await mendMode(path, 0o644);
    const entries = await readdir(this.secretsFolder, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      await mendMode(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
    }
    await mendReadable(this.natsPackage);
  }

  secret(name: string): string {
    return join(this.secretsFolder, name);
  }

  /** File with the identity of an app's process. */
  processFile(name: string): string {
    return join(this.processesFolder, `${name}.json`);
  }

  get lock(): string {
    return join(this.path, 'lock');
  }

  get adminKey(): string {
    return join(this.path, 'admin.key');
  }

  /** The first password of the user `admin`. */
  get adminPassword(): string {
    return join(this.path, 'admin.password');
  }

  /** File with the database address of the Proctor on this home, for the command line. */
  get databaseUrl(): string {
    return this.secret('database.url');
  }

  get postgresql(): string {
    return join(this.path, 'postgresql');
  }

  get nats(): string {
    return join(this.path, 'nats');
  }

  /** The credentials files of nats-server's users. */
  get natsUsers(): string {
    return join(this.secretsFolder, 'nats-users');
  }

  /** Debian's nats-server, if the machine has none that is patched. */
  get natsPackage(): string {
    return join(this.path, 'nats-server-package');
  }

  private get secretsFolder(): string {
    return join(this.path, SECRETS);
  }

  private get processesFolder(): string {
    return join(this.path, 'processes');
  }
}

/**
 * A folder that `prepare` will open need not be open yet: an empty one, or a home that was closed by a umask or by
 * hand.
 */
async function firstToReach(path: string): Promise<string> {
  const names = await readdir(path).catch(() => null);
  return names?.length === 0 || names?.includes(SECRETS) ? dirname(path) : path;
}

/** @throws Error if the path, or one above it, is a file */
async function requireNoFile(path: string): Promise<void> {
  const status = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  const isFile = 'isDirectory' in status ? !status.isDirectory() : status.code === 'ENOTDIR';
  if (isFile) throw new Error(`PROCTOR_HOME: ${path} is a file, or lies below one; choose a folder`);
}
