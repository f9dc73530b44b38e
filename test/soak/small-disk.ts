import { execFile } from 'node:child_process';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What scripts/soak.mjs says when the mounts of this process are its own and end with it. */
const OWN_MOUNTS = 'PROCTOR_SOAK_OWN_MOUNTS';
const FILLER = 'filler';
const PIECE = Buffer.alloc(1024 * 1024);

export function mayMount(): boolean {
  return process.env[OWN_MOUNTS] === '1';
}

/** A folder on a small file system of its own, which can be filled. */
export class SmallDisk {
  private constructor(private readonly folder: string) {}

  /** The folder is made; what it held is hidden. */
  static async mount(folder: string, mib: number): Promise<SmallDisk> {
    await mkdir(folder, { recursive: true });
    const options = `size=${mib}m,nr_inodes=10k,mode=0755`;
    await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', options, 'proctor-soak', folder]);
    return new SmallDisk(folder);
  }

  /** Until no byte is left. */
  async fillBytes(): Promise<void> {
    const file = await open(join(this.folder, FILLER), 'w');
    try {
      await untilFull(() => file.write(PIECE));
    } finally {
      await file.close();
    }
  }

  /** Until no other file can be made. */
  async fillInodes(): Promise<void> {
    const folder = join(this.folder, FILLER);
    await mkdir(folder);
    let count = 0;
    await untilFull(() => writeFile(join(folder, String((count += 1))), ''));
  }

  async unmount(): Promise<void> {
    await promisify(execFile)('umount', ['--lazy', this.folder]);
  }

  async empty(): Promise<void> {
    await rm(join(this.folder, FILLER), { recursive: true, force: true });
  }
}

async function untilFull(fill: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await fill();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
      throw error;
    }
  }
}
