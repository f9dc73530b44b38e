import { chown, mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { killsIn } from './memory-kills';
import type { RunUser } from './run-user';

/** Files whose owner may move processes and make groups below: cgroups(7), delegation. */
const DELEGATED = ['cgroup.procs', 'cgroup.subtree_control', 'cgroup.threads'];

/**
 * The group of a worker that a service manager has put into a group of its own, below the one that was delegated
 * (systemd: DelegateSubgroup=worker). Only there can groups be limited: where processes are, no controller is handed on.
 */
const WORKER_SUBGROUP = 'worker';

export interface GroupLimits {
  memoryBytesMax?: number;
  processesMax?: number;
}

const REMOVAL_TRIES = 50;
const REMOVAL_PAUSE_MS = 20;

/** A control group that belongs to the run user: containers with an init of their own need one. */
export class RunCgroup {
  limitsMemory = false;
  limitsProcesses = false;

  private constructor(readonly path: string) {}

  /**
   * Below or beside the worker's own group, with as many of the limits as it can have. null when this machine has no
   * cgroup2 or the worker may not make groups.
   */
  static async create(name: string, user: RunUser, limits: GroupLimits = {}): Promise<RunCgroup | null> {
    const own = await ownGroup();
    if (own === null) return null;
    const parent = basename(own) === WORKER_SUBGROUP ? dirname(own) : own;
    return RunCgroup.createBelow(parent, name, user, limits);
  }

  static async createBelow(
    parent: string,
    name: string,
    user: RunUser,
    { memoryBytesMax, processesMax }: GroupLimits,
  ): Promise<RunCgroup | null> {
    // Another worker on the machine may have a run of the same name.
    const group = new RunCgroup(join(parent, `proctor-${process.pid}-${name}`));
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
    if (memoryBytesMax !== undefined)
      group.limitsMemory = await group.limit(parent, 'memory', 'memory.max', memoryBytesMax);
    if (processesMax !== undefined)
      group.limitsProcesses = await group.limit(parent, 'pids', 'pids.max', processesMax);
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

  /** Processes in it that the kernel has ended for want of memory; null where that is not told. */
  async memoryKills(): Promise<number | null> {
    const text = await readFile(join(this.path, 'memory.events'), 'utf8').catch(ignoreMissing);
    return text === undefined ? null : killsIn(text);
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

  /** @returns whether the limit holds: the machine may not have the controller, or not hand it on to us */
  private async limit(parent: string, controller: string, file: string, max: number): Promise<boolean> {
    try {
      await writeFile(join(parent, 'cgroup.subtree_control'), `+${controller}`, { flag: 'r+' });
      await writeFile(join(this.path, file), String(max), { flag: 'r+' });
      return true;
    } catch (error) {
      if (isRefusal(error) || NO_CONTROLLER.has((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    }
  }
}

/** What the kernel says of a controller that is not there, or of a group that has processes of its own. */
const NO_CONTROLLER = new Set(['ENOENT', 'EINVAL', 'EBUSY', 'EOPNOTSUPP']);

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
