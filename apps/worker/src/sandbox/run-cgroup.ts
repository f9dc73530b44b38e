import {
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { killsIn, type MemoryKills } from './memory-kills';
import type { RunUser } from './run-user';

/** Files whose owner may move processes and create groups below: cgroups(7), delegation. */
const DELEGATED = ['cgroup.procs', 'cgroup.subtree_control', 'cgroup.threads'];

/** The kernel's names of the resources that can be limited. */
export type Controller = 'memory' | 'pids';

interface GroupLimits {
  /** Memory and files in memory; none of it is swapped out. */
  memoryBytesMax?: number | undefined;
  /** Processes and threads. */
  processesMax?: number | undefined;
}

const REMOVAL_TRIES = 50;
const REMOVAL_PAUSE_MS = 20;

/**
 * The control group of a run. It belongs to the run user, since containers with an init of their own need one. Its
 * files are the kernel's, which never wait for a disk: another thread would cost more than each access.
 */
export class RunCgroup {
  /** The last counts, for after its end. */
  private kills: MemoryKills | null = null;

  /** @param controllers the resources that it can limit */
  constructor(
    readonly path: string,
    private readonly controllers: ReadonlySet<Controller> = new Set(),
  ) {}

  /** Creates it, with the limits that it supports. */
  async create(user: RunUser, { memoryBytesMax, processesMax }: GroupLimits): Promise<void> {
    await this.remove();
    this.kills = null;
    mkdirSync(this.path);
    if (user.switched) {
      for (const file of ['', ...DELEGATED]) chownSync(join(this.path, file), user.uid, user.gid);
    }
    if (memoryBytesMax !== undefined && this.limitsMemory) {
      this.write('memory.max', memoryBytesMax);
      unlessMissing(() => this.write('memory.swap.max', 0));
    }
    if (processesMax !== undefined && this.limitsProcesses) this.write('pids.max', processesMax);
  }

  get limitsMemory(): boolean {
    return this.controllers.has('memory');
  }

  get limitsProcesses(): boolean {
    return this.controllers.has('pids');
  }

  /**
   * How often the kernel ended processes in it for lack of memory, also after its removal; null when it is not known.
   */
  memoryKills(): MemoryKills | null {
    const text = unlessMissing(() => readFileSync(join(this.path, 'memory.events'), 'utf8'));
    if (text !== undefined) this.kills = killsIn(text);
    return this.kills;
  }

  /** Ends its remaining processes, and removes it with the groups below. */
  async remove(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        unlessMissing(() => this.write('cgroup.kill', 1));
        this.memoryKills();
        removeGroups(this.path);
        return;
      } catch (error) {
        // Its processes are still ending.
        if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || tries === REMOVAL_TRIES) throw error;
        await pause(REMOVAL_PAUSE_MS);
      }
    }
  }

  /** Opened for writing only: these files cannot be created, and cgroup.kill cannot be read. */
  private write(file: string, value: number): void {
    const handle = openSync(join(this.path, file), constants.O_WRONLY);
    try {
      writeSync(handle, String(value));
    } finally {
      closeSync(handle);
    }
  }
}

function removeGroups(path: string): void {
  const entries = unlessMissing(() => readdirSync(path, { withFileTypes: true }));
  for (const entry of entries ?? []) {
    if (entry.isDirectory()) removeGroups(join(path, entry.name));
  }
  unlessMissing(() => rmdirSync(path));
}

/** Older kernels lack some files, and a group may be gone. */
function unlessMissing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}
