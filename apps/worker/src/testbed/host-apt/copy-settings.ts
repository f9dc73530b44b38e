import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunFolder } from '../../sandbox/run-folder';
import { runConfiguration, type AptSetting } from './apt-settings';

/**
 * Writes the apt.conf of a run, with these settings too, into the run's folder. Returns the runner's option that copies
 * it into the testbed.
 */
export async function copiedSettings(
  folder: Pick<RunFolder, 'path'>,
  settings: AptSetting[],
): Promise<string> {
  const path = join(folder.path, 'apt.conf');
  await writeFile(path, runConfiguration(settings), { mode: 0o644 });
  return `--copy=${path}:/etc/apt/apt.conf.d/99proctor`;
}
