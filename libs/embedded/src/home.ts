import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ownedFolder } from './owned-folder';
import { mayReach, serverUser } from './server-user';

/** Where a root process keeps its files when the project's own folder is closed to the servers' user. */
const ROOT_HOME = '/var/lib/proctor';

/** The folder of everything that Proctor writes on a machine, and the names of what lies in it. */
export class Home {
  constructor(
    readonly path: string,
    /** Why it is this folder, when it was not named and it is not the project's own. */
    readonly reason: string | null = null,
  ) {}

  /**
   * `PROCTOR_HOME`; else `.proctor` in the project, or /var/lib/proctor for root when the user that runs the servers
   * cannot reach the project's folder.
   * @throws when `PROCTOR_HOME` cannot be reached by that user
   */
  static async find(env: NodeJS.ProcessEnv, projectFolder: string): Promise<Home> {
    const named = env['PROCTOR_HOME'];
    const path = named ? resolve(named) : join(projectFolder, '.proctor');
    const user = await serverUser();
    if (!user || (await mayReach(user, path))) return new Home(path);
    const problem = `${path} cannot be reached by the user ${user.name}, which runs the servers for root`;
    if (named) throw new Error(`PROCTOR_HOME: ${problem}; choose a folder such as ${ROOT_HOME}`);
    return new Home(ROOT_HOME, problem);
  }

  /** Makes the folders, open to those who know a name in them, the secrets to their owner only. */
  async prepare(): Promise<void> {
    try {
      await ownedFolder(this.path, 0o711, null);
      await ownedFolder(this.secretsFolder, 0o700, null);
      await mkdir(this.processesFolder, { recursive: true });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'EACCES' && code !== 'EPERM') throw error;
      throw new Error(
        `${this.path} belongs to another user; run as that user, or choose another folder with PROCTOR_HOME`,
        { cause: error },
      );
    }
  }

  secret(name: string): string {
    return join(this.secretsFolder, name);
  }

  /** Remembers one app's process. */
  processFile(name: string): string {
    return join(this.processesFolder, `${name}.json`);
  }

  get lock(): string {
    return join(this.path, 'lock');
  }

  get adminKey(): string {
    return join(this.path, 'admin.key');
  }

  /** The address of the database of the Proctor that runs on this home, for the command line. */
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

  /** Debian's nats-server, where the machine has none that is patched. */
  get natsPackage(): string {
    return join(this.path, 'nats-server-package');
  }

  private get secretsFolder(): string {
    return join(this.path, 'secrets');
  }

  private get processesFolder(): string {
    return join(this.path, 'processes');
  }
}
