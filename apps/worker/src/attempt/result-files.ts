import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkerConfiguration } from '@proctor/config';
import { packArtifacts } from '../autopkgtest/pack-artifacts';
import { packLog, type LogLimits } from '../autopkgtest/pack-log';
import { endOfFile } from '../autopkgtest/plain-file';
import type { RunFolder } from '../sandbox/run-folder';
import type { KeptFile } from '../slot/ports';

const ERRORS_BYTES_MAX = 64 * 1024;

export type PackLimits = LogLimits & Pick<WorkerConfiguration, 'artifactsBytesMax'>;

/**
 * Packs what the runner left into the two files of a result, in the folder `target`, which is emptied first. Nothing of it is
 * left when that fails or the signal aborts.
 */
export async function packResult(
  folder: RunFolder,
  target: string,
  limits: PackLimits,
  signal: AbortSignal,
): Promise<KeptFile[]> {
  await rm(target, { recursive: true, force: true });
  try {
    await mkdir(target, { recursive: true, mode: 0o700 });
    // A runner may have taken it away.
    await mkdir(folder.output, { recursive: true, mode: 0o700 });
    const [log, artifacts] = [join(target, 'log.gz'), join(target, 'artifacts.tar.gz')];
    const errors = await endOfFile(folder.errors, ERRORS_BYTES_MAX);
    const substitute = `The test runner wrote no log. Its standard error was:\n${errors || '(nothing)\n'}`;
    const files: KeptFile[] = [
      {
        name: 'log.gz',
        path: log,
        ...(await packLog(join(folder.output, 'log'), log, limits, substitute)),
      },
      {
        name: 'artifacts.tar.gz',
        path: artifacts,
        ...(await packArtifacts(folder.output, artifacts, limits.artifactsBytesMax)),
      },
    ];
    signal.throwIfAborted();
    return files;
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}
