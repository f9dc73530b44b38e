import { chmod, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { endOfFile } from '../../autopkgtest/plain-file';
import type { Architectures } from '../../machine/architectures';
import { rootedCommand } from '../../sandbox/rooted-command';
import type { RunFolder } from '../../sandbox/run-folder';
import type { Sandboxes } from '../../sandbox/sandboxes';
import type { HostApt } from '../host-apt/host-apt';
import { buildCommand, definition, fingerprint, imageRecipe, type ImageRecipe } from './image-recipe';
import type { ImageShape } from './image-shape';
import { loadArchiveState } from './archive-state';
import { writeSourceNames } from './source-names';
import { unwatchFile, watchFile } from 'node:fs';

/** Called when a stage starts, the first is 1, with what is done in it. */
type StageListener = (stage: number, doing: string) => void;

const LOOK_EVERY_MS = 200;
const LAST_BYTES = 4096;

/** mmdebstrap's message at the start of a stage, and what the stage does. */
const STAGES: [RegExp, string][] = [
  [/^I: running apt-get update/, 'reading what the archive has'],
  [/^I: downloading packages/, 'fetching the base system'],
  [/^I: extracting archives/, 'unpacking the base system'],
  [/^I: installing essential packages/, 'installing the base system'],
  [/^I: installing remaining packages/, 'fetching and installing the other packages'],
  [/^I: creating tarball/, 'packing the image'],
];

const MMDEBSTRAP_STAGES = STAGES.length;

/** Reports each stage of mmdebstrap once, from the file of its messages. @returns a function that stops it */
function followStages(path: string, onStage: StageListener): () => void {
  let reported = 0;
  const check = async (): Promise<void> => {
    // A failed read reports nothing: the build itself will report a broken disk.
    const lines = (await endOfFile(path, LAST_BYTES).catch(() => '')).split('\n');
    const stage = STAGES.findLastIndex(([begins]) => lines.some((line) => begins.test(line))) + 1;
    if (stage <= reported) return;
    reported = stage;
    onStage(stage, STAGES[stage - 1]![1]);
  };
  const onChange = (): void => void check();
  watchFile(path, { interval: LOOK_EVERY_MS }, onChange);
  return () => unwatchFile(path, onChange);
}

/** Builds images; the code that stores and refreshes them does not know how. */
export interface ImageBuilder {
  /** Identifies the way in which the image would be built now. */
  recipeOf(suite: string, arch: string): Promise<string>;
  /** Identifies the current state of the suite's archive; null: not known. */
  archiveState(suite: string): Promise<string | null>;
  /** Identifies what this release of Proctor puts into each image of the architecture. */
  definitionOf(arch: string): string;
  /** Number of stages of a build. */
  readonly stages: number;
  /** Writes the files of `target`. @throws Error with the last messages of the tool, without users and passwords */
  build(suite: string, arch: string, target: BuildTarget, control: BuildControl): Promise<void>;
}

/** The paths of the files of a build. */
export interface BuildTarget {
  image: string;
  /** Path of the list of the suite's packages, see writeSourceNames; it is not written if they cannot be read. */
  sourceNames: string;
}

export interface BuildControl {
  signal: AbortSignal;
  onStage: StageListener;
  /** Called with a fault that does not prevent the image. */
  warn: (text: string) => void;
}

/** Many packages are unpacked in the sandbox's memory, and a disk is built there too. */
const WORK_AREA_BYTES = 8 * 1024 ** 3;
const EXCERPT_LENGTH_MAX = 800;

/** User and password of an address; they end at the last @ before its path. */
const LOGIN = /:\/\/[^\s/]*@/g;

/** Builds images of one shape with mmdebstrap as the run user, in a sandbox with the machine's own network. */
export class MmdebstrapBuilder implements ImageBuilder {
  /** `label`: separates its folders from those of other builders. */
  constructor(
    private readonly label: string,
    private readonly shape: ImageShape,
    private readonly sandboxes: Sandboxes,
    private readonly hostApt: HostApt,
    private readonly architectures: Architectures,
  ) {}

  get stages(): number {
    return MMDEBSTRAP_STAGES + (this.shape.finish === null ? 0 : 1);
  }

  async recipeOf(suite: string, arch: string): Promise<string> {
    return fingerprint(await this.recipe(suite, arch));
  }

  definitionOf(arch: string): string {
    return definition(arch, this.shape);
  }

  async archiveState(suite: string): Promise<string | null> {
    const [{ lines }, settings] = await Promise.all([this.hostApt.sourcesOf(suite), this.hostApt.settings()]);
    return loadArchiveState(lines, settings);
  }

  async build(suite: string, arch: string, target: BuildTarget, control: BuildControl): Promise<void> {
    const { signal, onStage } = control;
    const recipe = await this.recipe(suite, arch);
    const { sourcesList, finish } = recipe;
    const interpreters = await this.architectures.interpretersOf(arch);
    const folder = await this.sandboxes.createFolder(`image-${this.label}-${suite}-${arch}`);
    try {
      const list = await folder.writePrivate('sources.list', sourcesList);
      const command = buildCommand(recipe, await folder.writePrivate('apt.conf', recipe.aptConfiguration));
      const system = finish === null ? target.image : join(folder.path, 'system.tar');
      const unfollow = followStages(folder.errors, onStage);
      await this.execute(folder, { command, interpreters, input: list, output: system }, signal).finally(
        unfollow,
      );
      await this.writeNames(system, target.sourceNames, control);
      if (finish !== null) {
        onStage(this.stages, 'making a disk of it');
        const making = rootedCommand(`${finish}exit\n`, [system]);
        await this.execute(
          folder,
          { command: making, interpreters, input: list, output: target.image },
          signal,
        );
      }
    } finally {
      await folder.remove();
    }
  }

  /** Tests need no list of packages: an image without one is good enough. */
  private async writeNames(system: string, target: string, { signal, warn }: BuildControl): Promise<void> {
    try {
      await writeSourceNames(system, target, signal);
    } catch (error) {
      signal.throwIfAborted();
      await rm(target, { force: true });
      warn(`which packages its suite has is not known: ${(error as Error).message}`);
    }
  }

  private async execute(
    folder: RunFolder,
    order: { command: string[]; interpreters: string[]; input: string; output: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { command, interpreters } = order;
    const [input, output] = await Promise.all([open(order.input, 'r'), open(order.output, 'w', 0o644)]);
    try {
      const use = { command, interpreters, network: 'host', tmpfsBytes: WORK_AREA_BYTES } as const;
      const sandbox = await this.sandboxes.start(folder, { ...use, input: input.fd, output: output.fd });
      const kill = () => void sandbox.kill();
      signal.addEventListener('abort', kill);
      if (signal.aborted) kill();
      const { code } = await sandbox.ending;
      signal.removeEventListener('abort', kill);
      if (code !== 0)
        throw new Error(lastWords(await endOfFile(folder.errors, LAST_BYTES)) || `exit code ${code}`);
      await output.sync();
    } finally {
      await Promise.all([input.close(), output.close()]);
    }
    await chmod(order.output, 0o644);
  }

  private async recipe(suite: string, arch: string): Promise<ImageRecipe> {
    const sources = await this.hostApt.sourcesOf(suite);
    for (const { path, content } of sources.keys) {
      if (content === null) continue;
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      await Promise.all([chmod(dirname(path), 0o755), chmod(path, 0o644)]);
    }
    return imageRecipe(suite, arch, this.shape, sources, await this.hostApt.settings());
  }
}

/**
 * Returns the errors in the tool's last lines, or the lines themselves if none is an error, on one line; addresses
 * without user and password.
 */
function lastWords(text: string): string {
  const isCut = Buffer.byteLength(text) >= LAST_BYTES;
  // The rest of a cut line may start in the middle of a password.
  const whole = text.split('\n').slice(isCut ? 1 : 0);
  const lines = whole.map((line) => line.replace(LOGIN, '://')).filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => line.startsWith('E: '));
  return (errors.length > 0 ? errors : lines).slice(-4).join(' ').slice(-EXCERPT_LENGTH_MAX);
}
