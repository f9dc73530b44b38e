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

/** Files whose owner may move processes and make groups below: cgroups(7), delegation. */
const DELEGATED = ['cgroup.procs', 'cgroup.subtree_control', 'cgroup.threads'];

/** The kernel's names of what can be limited. */
export type Controller = 'memory' | 'pids';

export interface GroupLimits {
  /** Of memory and of files in memory; nothing of it is swapped out. */
  memoryBytesMax?: number | undefined;
  /** Of processes and threads. */
  processesMax?: number | undefined;
}

const REMOVAL_TRIES = 50;
const REMOVAL_PAUSE_MS = 20;

/**
 * The control group of a run, which belongs to the run user: containers with an init of their own need one. Its files are the
 * kernel's own, which wait for no disk: another thread would cost more than each of them.
 */
export class RunCgroup {
  /** What is told of it after its end. */
  private kills: MemoryKills | null = null;

  /** @param controllers what it can be limited by, once it is made */
  constructor(
    readonly path: string,
    private readonly controllers: ReadonlySet<Controller> = new Set(),
  ) {}

  /** Makes it, with as many of the limits as it can have. */
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

  /** What the kernel has ended in it for lack of memory, also once it was removed; null where that is not told. */
  memoryKills(): MemoryKills | null {
    const text = unlessMissing(() => readFileSync(join(this.path, 'memory.events'), 'utf8'));
    if (text !== undefined) this.kills = killsIn(text);
    return this.kills;
  }

  /** Ends what is in it still, and removes it with the groups below. */
  async remove(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        unlessMissing(() => this.write('cgroup.kill', 1));
        this.memoryKills();
        removeGroups(this.path);
        return;
      } catch (error) {
        // Its processes are about to end.
        if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || tries === REMOVAL_TRIES) throw error;
        await pause(REMOVAL_PAUSE_MS);
      }
    }
  }

  /** None of these files can be made, and cgroup.kill not be read. */
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

/** Older kernels have not every file, and a group may be gone. */
function unlessMissing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}
