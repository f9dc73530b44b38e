import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { killProcess, type SandboxProcess } from './processes';
import { RunCgroup } from './run-cgroup';
import type { RunUser } from './run-user';

const PROCESSES = 'processes.json';
const CGROUP = 'cgroup';

/** The worker's folder of one sandbox. It records the processes, so that the next life of the worker can end them. */
export class RunFolder {
  /** The run user may write here. */
  readonly output: string;
  /** The folder on which the sandbox mounts its work area; it is empty on disk. */
  readonly workArea: string;
  /** The command's standard error; it may open the file again itself, as `tee /dev/stderr` does. */
  readonly errors: string;

  private constructor(
    readonly path: string,
    private readonly user: RunUser | null = null,
  ) {
    this.output = join(path, 'out');
    this.workArea = join(path, 'work');
    this.errors = join(path, 'errors');
  }

  get name(): string {
    return basename(this.path);
  }

  /**
   * Creates `{parent}/{name}/`, empty. Only the worker and the run user may enter it: it will hold results of private
   * runs.
   */
  static async create(parent: string, name: string, user: RunUser): Promise<RunFolder> {
    const folder = new RunFolder(join(parent, name), user);
    const isNew = (await mkdir(folder.path, { recursive: true, mode: 0o700 })) !== undefined;
    if (!isNew) {
      await folder.remove();
      await mkdir(folder.path, { mode: 0o700 });
    }
    const { output, workArea, errors } = folder;
    await Promise.all([
      mkdir(output, { mode: 0o700 }).then(() => folder.chownToRunUser(output)),
      mkdir(workArea, { mode: 0o700 }).then(() => folder.chownToRunUser(workArea)),
      writeFile(errors, '', { mode: 0o600 }).then(() => folder.chownToRunUser(errors)),
    ]);
    if (!user.switched) return folder;
    await chown(folder.path, process.getuid?.() ?? 0, user.gid);
    await chmod(folder.path, 0o710);
    return folder;
  }

  /** Writes a file that only the run user may read. Returns its path. */
  async writePrivate(name: string, text: string): Promise<string> {
    const path = join(this.path, name);
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    await this.chownToRunUser(path);
    return path;
  }

  private async chownToRunUser(path: string): Promise<void> {
    if (this.user?.switched) await chown(path, this.user.uid, this.user.gid);
  }

  async record(processes: SandboxProcess[]): Promise<void> {
    await writeFile(join(this.path, PROCESSES), JSON.stringify(processes));
  }

  async recordCgroup(path: string): Promise<void> {
    await writeFile(join(this.path, CGROUP), path);
  }

  /** Ends the recorded sandbox, if it is still alive. */
  async stopRecorded(): Promise<void> {
    const processes = (await this.readRecord(PROCESSES)) || '[]';
    for (const identity of JSON.parse(processes) as SandboxProcess[]) await killProcess(identity);
    const cgroup = await this.readRecord(CGROUP);
    if (cgroup !== '') await new RunCgroup(cgroup).remove();
  }

  /** Empty when nothing was recorded, or recording was interrupted. */
  private async readRecord(name: string): Promise<string> {
    return readFile(join(this.path, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
  }

  async remove(): Promise<void> {
    await removeTree(this.path);
  }

  /** Ends and removes what an earlier life of the worker left below `parent`. Returns the names of the folders. */
  static async removeLeftovers(parent: string): Promise<string[]> {
    await mkdir(parent, { recursive: true });
    const names = await readdir(parent);
    for (const name of names) {
      const folder = new RunFolder(join(parent, name));
      await folder.stopRecorded();
      await folder.remove();
    }
    return names;
  }
}

/** Works also when a test left folders that their owner may not enter, or nested folders whose path is too long. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENAMETOOLONG') {
      await promisify(execFile)('rm', ['-rf', '--', path]);
    } else if (code === 'EACCES') {
      await openFolders(path);
      await rm(path, { recursive: true, force: true });
    } else {
      throw error;
    }
  }
}

async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
  }
}
