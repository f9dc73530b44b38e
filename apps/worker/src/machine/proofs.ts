import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

interface ProofFile {
  boot: string;
  /** Name of a proof → its outcome. */
  proofs: Record<string, string>;
}

/** The id of this boot of the machine. */
export async function currentBoot(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/**
 * A file with everything that was proved to work since the machine was booted, so that a restarted worker need not
 * prove it again.
 */
export class Proofs {
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly boot: string,
  ) {}

  /** The outcome of `prove`, which runs only if it has not succeeded under this name since the machine was booted. */
  async once(name: string, prove: () => Promise<string>): Promise<string> {
    const earlier = (await this.read()).proofs[name];
    if (earlier !== undefined) return earlier;
    const outcome = await prove();
    const saved = this.writing.then(() => this.save(name, outcome));
    // A failed write is reported to its caller only.
    this.writing = saved.catch(() => undefined);
    await saved;
    return outcome;
  }

  private async save(name: string, outcome: string): Promise<void> {
    const file = await this.read();
    file.proofs[name] = outcome;
    await mkdir(dirname(this.path), { recursive: true });
    const fresh = `${this.path}.${process.pid}.new`;
    await writeFile(fresh, JSON.stringify(file));
    await rename(fresh, this.path);
  }

  private async read(): Promise<ProofFile> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw error;
    });
    const file = parseProofs(text);
    return file.boot === this.boot && file.proofs ? (file as ProofFile) : { boot: this.boot, proofs: {} };
  }
}

function parseProofs(text: string): Partial<ProofFile> {
  try {
    return JSON.parse(text) as Partial<ProofFile>;
  } catch {
    // A file that a power cut has damaged proves nothing; the next write replaces it.
    return {};
  }
}
