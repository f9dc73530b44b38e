import { constants } from 'node:fs';
import { chown, mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
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

/** The control group of a run, which belongs to the run user: containers with an init of their own need one. */
export class RunCgroup {
  /** What is told of it after its end. */
  private kills: MemoryKills | null = null;

  /** @param controllers what it can be limited by, once it is made */
  constructor(
    readonly path: string,
    private readonly controllers: ReadonlySet<Controller> = new Set(),
  ) {}

  /** Makes it, with as many of the limits as it can have. */
  async make(user: RunUser, { memoryBytesMax, processesMax }: GroupLimits): Promise<void> {
    await this.remove();
    this.kills = null;
    await mkdir(this.path);
    if (user.switched) {
      for (const file of ['', ...DELEGATED]) await chown(join(this.path, file), user.uid, user.gid);
    }
    if (memoryBytesMax !== undefined && this.limitsMemory) {
      await this.write('memory.max', memoryBytesMax);
      await this.write('memory.swap.max', 0).catch(ignoreMissing);
    }
    if (processesMax !== undefined && this.limitsProcesses) await this.write('pids.max', processesMax);
  }

  get limitsMemory(): boolean {
    return this.controllers.has('memory');
  }

  get limitsProcesses(): boolean {
    return this.controllers.has('pids');
  }

  /** The prefix of a command that makes it a member. */
  get join(): string[] {
    return ['sh', '-c', 'echo $$ >"$0/cgroup.procs" && exec "$@"', this.path];
  }

  /** What the kernel has ended in it for lack of memory, also once it was removed; null where that is not told. */
  async memoryKills(): Promise<MemoryKills | null> {
    const text = await readFile(join(this.path, 'memory.events'), 'utf8').catch(ignoreMissing);
    if (text !== undefined) this.kills = killsIn(text);
    return this.kills;
  }

  /** Ends what is in it still, and removes it with the groups below. */
  async remove(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.write('cgroup.kill', 1).catch(ignoreMissing);
        await this.memoryKills();
        await removeGroups(this.path);
        return;
      } catch (error) {
        // Its processes are about to end.
        if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || tries === REMOVAL_TRIES) throw error;
        await pause(REMOVAL_PAUSE_MS);
      }
    }
  }

  /** None of these files can be made, and cgroup.kill not be read. */
  private async write(file: string, value: number): Promise<void> {
    await writeFile(join(this.path, file), String(value), { flag: constants.O_WRONLY });
  }
}

async function removeGroups(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(ignoreMissing);
  for (const entry of entries ?? []) {
    if (entry.isDirectory()) await removeGroups(join(path, entry.name));
  }
  await rmdir(path).catch(ignoreMissing);
}

/** Older kernels have not every file, and a group may be gone. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
