import { readFile, writeFile } from 'node:fs/promises';
import type { BuildControl, BuildTarget } from '@apps/worker/src/testbed/images/image-builder';
import { ImageFiles } from '@apps/worker/src/testbed/images/image-files';
import { Images } from '@apps/worker/src/testbed/images/images';
import { VirtualClock } from '../simulation/world/virtual-clock';

export const IMAGE_SETTINGS = {
  ageMaxMs: 24 * 3_600_000,
  checkMs: 600_000,
  retryFirstMs: 60_000,
  retryMaxMs: 120_000,
  bootId: 'this boot',
};
export const IMAGE_RECORD = {
  suite: 'bookworm',
  arch: 'amd64',
  builtAt: 0,
  recipe: 'recipe',
  definition: 'definition',
  release: 'release 1',
  provedBoot: 'this boot',
  mode: '',
};

interface Build {
  suite: string;
  onStage: BuildControl['onStage'];
  done: () => void;
  fail: (error: Error) => void;
}

/** Images in a folder whose builds end when the test says so. */
export function imagesRig(path: string, clock = new VirtualClock(), settings = IMAGE_SETTINGS) {
  const builds: Build[] = [];
  const lines: string[] = [];
  const trials: string[] = [];
  const state = {
    recipe: 'recipe',
    release: 'release 1' as string | null,
    wallClockMs: 0,
    changes: [] as (() => void)[],
    /** The fault of the image when it is tried; null if it has none. */
    defect: null as string | null,
  };
  const builder = {
    recipeOf: () => Promise.resolve(state.recipe),
    definitionOf: () => 'definition',
    archiveState: () => Promise.resolve(state.release),
    stages: 6,
    build: (suite: string, _arch: string, target: BuildTarget, { signal, onStage }: BuildControl) =>
      new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        const finish = () => void writeFile(target.image, `${suite} ${builds.length}`).then(resolve);
        builds.push({ suite, onStage, done: finish, fail: reject });
        state.changes.splice(0).forEach((wake) => wake());
      }),
  };
  const trial = {
    prove: async (suite: string, _arch: string, image: string) => {
      trials.push(`${suite}: ${await readFile(image, 'utf8')}`);
      if (state.defect !== null) throw new Error(state.defect);
      return 'fast';
    },
  };
  const log = { log: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(line) };
  const onChange = () => state.changes.splice(0).forEach((wake) => wake());
  const files = new ImageFiles(path, 'tar');
  const images = new Images({
    files,
    builder,
    trial,
    settings,
    clock,
    wallClock: () => state.wallClockMs,
    random: () => 0.5,
    log,
    onChange,
  });
  /** The next build that begins or ends. */
  const change = () => new Promise<void>((resolve) => state.changes.push(resolve));
  return { images, files, builds, trials, lines, state, clock, change };
}
