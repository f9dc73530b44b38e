import { constants, existsSync } from 'node:fs';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RunCgroup, type Controller } from './run-cgroup';

const CONTROLLERS: readonly Controller[] = ['memory', 'pids'];

/** What must be writable to make groups and to move processes into them: cgroups(7), delegation. */
const WRITTEN = ['', 'cgroup.procs', 'cgroup.subtree_control'];

/** The group of the worker itself, below the one that was delegated to it (systemd: DelegateSubgroup=worker). */
const WORKER_SUBGROUP = 'worker';

/** What the kernel says of a controller that it does not have here, or cannot hand on. */
const NO_CONTROLLER = new Set(['ENOENT', 'EINVAL', 'EBUSY', 'EOPNOTSUPP']);

/** The group that a worker was given, in the unified hierarchy: those of its runs are made in it. */
export class ControlGroups {
  /** @param controllers what the groups of runs can be limited by */
  private constructor(
    readonly path: string,
    readonly controllers: ReadonlySet<Controller>,
  ) {}

  /**
   * Moves this process into a group of its own where that is what limits take: call it before there are others.
   * @returns null when this machine has no cgroup2, or the worker may not make groups
   */
  static async open(): Promise<ControlGroups | null> {
    const own = await ownGroup();
    return own === null ? null : ControlGroups.openBelow(own);
  }

  /** @param own the path of this process's group */
  static async openBelow(own: string): Promise<ControlGroups | null> {
    const path = basename(own) === WORKER_SUBGROUP ? dirname(own) : own;
    for (const file of WRITTEN) {
      if (!(await isWritable(join(path, file)))) return null;
    }
    const controllers = new Set<Controller>();
    const offered = (await canDelegate(path)) ? CONTROLLERS : [];
    for (const controller of offered) {
      if (await delegate(path, controller)) controllers.add(controller);
    }
    return new ControlGroups(path, controllers);
  }

  /** The group of a run, which is not made yet. */
  groupOf(name: string): RunCgroup {
    // Another worker on the machine may have a run of the same name.
    return new RunCgroup(join(this.path, `proctor-${process.pid}-${name}`), this.controllers);
  }
}

/** The worker's own group in the unified hierarchy, as a path; null when there is none. */
async function ownGroup(): Promise<string | null> {
  const mount = /^\S+ (\S+) cgroup2 /m.exec(await readFile('/proc/mounts', 'utf8'))?.[1];
  const group = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1];
  return mount !== undefined && group !== undefined ? join(mount, group) : null;
}

/**
 * Whether the group, or all that is in it, is this process's own to limit. With processes in it, it could hand on `pids`,
 * but then no process could enter the groups below: cgroups(7), threaded subtrees.
 */
async function canDelegate(path: string): Promise<boolean> {
  // The root of all groups has no type, and may hold processes too.
  if (!existsSync(join(path, 'cgroup.type'))) return true;
  const processes = (await readFile(join(path, 'cgroup.procs'), 'utf8')).trim();
  if (processes === '') return true;
  // Others are somebody else's affair: a shell, or a whole Proctor that was started as one service.
  if (processes !== String(process.pid)) return false;
  await moveInto(join(path, WORKER_SUBGROUP));
  return true;
}

/** @returns whether groups below can be limited by it */
async function delegate(path: string, controller: Controller): Promise<boolean> {
  try {
    await writeFile(join(path, 'cgroup.subtree_control'), `+${controller}`, { flag: 'r+' });
    return true;
  } catch (error) {
    if (NO_CONTROLLER.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

async function moveInto(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'cgroup.procs'), String(process.pid), { flag: 'r+' });
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}
