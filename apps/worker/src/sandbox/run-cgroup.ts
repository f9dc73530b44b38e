import { chown, mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunUser } from './run-user';

/** Files whose owner may move processes and make groups below: cgroups(7), delegation. */
const DELEGATED = ['cgroup.procs', 'cgroup.subtree_control', 'cgroup.threads'];

const REMOVAL_TRIES = 50;
const REMOVAL_PAUSE_MS = 20;

/** A control group that belongs to the run user: containers with an init of their own need one. */
export class RunCgroup {
  private constructor(readonly path: string) {}

  /** Below the worker's own group. null when this machine has no cgroup2 or the worker may not make groups. */
  static async create(name: string, user: RunUser): Promise<RunCgroup | null> {
    const parent = await ownGroup();
    if (parent === null) return null;
    const group = new RunCgroup(join(parent, `proctor-${name}`));
    await group.remove();
    try {
      await mkdir(group.path);
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
    if (user.switched) {
      for (const file of ['', ...DELEGATED]) await chown(join(group.path, file), user.uid, user.gid);
    }
    return group;
  }

  /** For a group that an earlier life of the worker recorded. */
  static at(path: string): RunCgroup {
    return new RunCgroup(path);
  }

  /** The prefix of a command that makes it a member. */
  get join(): string[] {
    return ['sh', '-c', 'echo $$ >"$0/cgroup.procs" && exec "$@"', this.path];
  }

  /** Ends what is in it still, and removes it with the groups below. */
  async remove(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await writeFile(join(this.path, 'cgroup.kill'), '1').catch(ignoreMissing);
        await removeGroups(this.path);
        return;
      } catch (error) {
        // Its processes are about to end.
        if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || tries === REMOVAL_TRIES) throw error;
        await pause(REMOVAL_PAUSE_MS);
      }
    }
  }
}

/** The worker's own group in the unified hierarchy, as a path; null when there is none. */
async function ownGroup(): Promise<string | null> {
  const mount = /^\S+ (\S+) cgroup2 /m.exec(await readFile('/proc/mounts', 'utf8'))?.[1];
  const group = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1];
  return mount !== undefined && group !== undefined ? join(mount, group) : null;
}

async function removeGroups(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    ignoreMissing(error);
    return null;
  });
  if (entries === null) return;
  for (const entry of entries) if (entry.isDirectory()) await removeGroups(join(path, entry.name));
  await rmdir(path).catch(ignoreMissing);
}

/** Older kernels have no cgroup.kill, and a group may be gone. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function isRefusal(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');
}
