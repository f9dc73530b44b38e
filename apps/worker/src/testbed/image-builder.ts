import { chmod, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { endOfFile } from '../autopkgtest/plain-file';
import type { Sandboxes } from '../sandbox/sandboxes';
import type { HostApt } from './host-apt/host-apt';
import { fingerprint, imageRecipe, type ImageRecipe } from './image-recipe';

/** Makes images; what keeps and refreshes them need not know how. */
export interface ImageBuilder {
  /** Names the way in which the image would be built now. */
  recipeOf(suite: string, arch: string): Promise<string>;
  /** Writes the image to `target`. @throws Error with the last words of the tool */
  build(suite: string, arch: string, target: string, signal: AbortSignal): Promise<void>;
}

/** An archive's worth of packages is unpacked in the sandbox's memory. */
const WORK_AREA_BYTES = 4 * 1024 ** 3;
const REASON_LENGTH_MAX = 800;

/** Builds images with mmdebstrap as the run user, in a sandbox that has the machine's own network. */
export class MmdebstrapBuilder implements ImageBuilder {
  constructor(
    private readonly sandboxes: Sandboxes,
    private readonly hostApt: HostApt,
  ) {}

  async recipeOf(suite: string, arch: string): Promise<string> {
    return fingerprint(await this.recipe(suite, arch));
  }

  async build(suite: string, arch: string, target: string, signal: AbortSignal): Promise<void> {
    const { command, sourcesList } = await this.recipe(suite, arch);
    const folder = await this.sandboxes.createFolder(`image-${suite}-${arch}`);
    try {
      const list = join(folder.path, 'sources.list');
      await writeFile(list, sourcesList);
      const [input, output] = await Promise.all([open(list, 'r'), open(target, 'w', 0o644)]);
      try {
        const use = {
          command,
          network: 'host',
          tmpfsBytes: WORK_AREA_BYTES,
          input: input.fd,
          output: output.fd,
        } as const;
        const sandbox = await this.sandboxes.start(folder, use);
        const kill = () => void sandbox.kill();
        signal.addEventListener('abort', kill);
        if (signal.aborted) kill();
        const { code } = await sandbox.ended;
        signal.removeEventListener('abort', kill);
        if (code !== 0)
          throw new Error(lastWords(await endOfFile(folder.errors, 4096)) || `exit code ${code}`);
        await output.sync();
      } finally {
        await Promise.all([input.close(), output.close()]);
      }
      await chmod(target, 0o644);
    } finally {
      await folder.remove();
    }
  }

  private async recipe(suite: string, arch: string): Promise<ImageRecipe> {
    const sources = await this.hostApt.sourcesOf(suite);
    for (const { path, content } of sources.keys) {
      if (content === null) continue;
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      await Promise.all([chmod(dirname(path), 0o755), chmod(path, 0o644)]);
    }
    return imageRecipe(suite, arch, sources, await this.hostApt.settings());
  }
}

/** The complaints among mmdebstrap's last lines, else the lines themselves, as one. */
function lastWords(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => line.startsWith('E: '));
  return (errors.length > 0 ? errors : lines).slice(-4).join(' ').slice(-REASON_LENGTH_MAX);
}
