import { unwatchFile, watchFile } from 'node:fs';
import { endOfFile } from '../../autopkgtest/plain-file';

/** Called when a stage starts, the first is 1, with what is done in it. */
export type StageListener = (stage: number, doing: string) => void;

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

export const MMDEBSTRAP_STAGES = STAGES.length;

/** Reports each stage of mmdebstrap once, from the file of its messages. @returns a function that stops it */
export function followStages(path: string, onStage: StageListener): () => void {
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
