import { constants, existsSync } from 'node:fs';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RunCgroup, type Controller } from './run-cgroup';

const CONTROLLERS: readonly Controller[] = ['memory', 'pids'];

/** Files that must be writable to create groups and to move processes into them: cgroups(7), delegation. */
const WRITTEN = ['', 'cgroup.procs', 'cgroup.subtree_control'];

/** The group of the worker itself, below the group that was delegated to it (systemd: DelegateSubgroup=worker). */
const WORKER_SUBGROUP = 'worker';

/** Errors for a controller that the kernel does not have here, or cannot delegate. */
const NO_CONTROLLER = new Set(['ENOENT', 'EINVAL', 'EBUSY', 'EOPNOTSUPP']);

/** The control group of a worker, in the unified hierarchy: the groups of its runs are created in it. */
export class ControlGroups {
  /** @param controllers the resources that can be limited for the groups of runs */
  private constructor(
    readonly path: string,
    readonly controllers: ReadonlySet<Controller>,
  ) {}

  /**
   * Moves this process into a group of its own where limits need that: call it before there are other processes.
   * @returns null when this machine has no cgroup2, or the worker may not create groups
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

  /** The group of a run; it is not created yet. */
  groupOf(name: string): RunCgroup {
    // Another worker on the machine may have a run of the same name.
    return new RunCgroup(join(this.path, `proctor-${process.pid}-${name}`), this.controllers);
  }
}

/** The path of the worker's own group in the unified hierarchy; null without one. */
async function ownGroup(): Promise<string | null> {
  const mount = /^\S+ (\S+) cgroup2 /m.exec(await readFile('/proc/mounts', 'utf8'))?.[1];
  const group = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1];
  return mount !== undefined && group !== undefined ? join(mount, group) : null;
}

/**
 * Whether only this process is in the group, or none, so that it may set limits. With processes in it, the group could
 * delegate `pids`, but then no process could enter the groups below: cgroups(7), threaded subtrees.
 */
async function canDelegate(path: string): Promise<boolean> {
  // The root of all groups has no type, and may have processes.
  if (!existsSync(join(path, 'cgroup.type'))) return true;
  const processes = (await readFile(join(path, 'cgroup.procs'), 'utf8')).trim();
  if (processes === '') return true;
  // Other processes are not ours to move: a shell, or a whole Proctor that was started as one service.
  if (processes !== String(process.pid)) return false;
  await moveInto(join(path, WORKER_SUBGROUP));
  return true;
}

/** @returns whether groups below can be limited */
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
