import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { WorkerConfiguration } from '@proctor/config';
import type { ErrorExcerpt, ResultFileName } from '@proctor/contracts';
import { artifactsIndexText, logIndexText } from '@proctor/result-files';
import { packArtifacts } from '../autopkgtest/pack-artifacts';
import { packLog, type LogLimits } from '../autopkgtest/pack-log';
import { endOfFile } from '../autopkgtest/plain-file';
import { writeWhole, type WrittenFile } from '../autopkgtest/written-file';
import type { RunFolder } from '../sandbox/run-folder';
import type { KeptFile } from '../slot/ports';

const ERRORS_BYTES_MAX = 64 * 1024;

export type PackLimits = LogLimits & Pick<WorkerConfiguration, 'artifactsBytesMax'>;

export interface PackedResult {
  files: KeptFile[];
  /** The lines of the log around its first error; null when there is none. */
  excerpt: ErrorExcerpt | null;
}

/**
 * Packs what the runner left into the files of a result, in the folder `target`, which is emptied first. Nothing of it is
 * left when that fails or the signal aborts.
 */
export async function packResult(
  folder: RunFolder,
  target: string,
  limits: PackLimits,
  signal: AbortSignal,
): Promise<PackedResult> {
  await rm(target, { recursive: true, force: true });
  try {
    await mkdir(target, { recursive: true, mode: 0o700 });
    // A runner may have taken it away.
    await mkdir(folder.output, { recursive: true, mode: 0o700 });
    const pathOf = (name: ResultFileName): string => join(target, name);
    const errors = await endOfFile(folder.errors, ERRORS_BYTES_MAX);
    const substitute = `The test runner wrote no log. Its standard error was:\n${errors || '(nothing)\n'}`;
    const log = await packLog(join(folder.output, 'log'), pathOf('log.gz'), limits, substitute);
    const artifacts = await packArtifacts(
      folder.output,
      pathOf('artifacts.tar.gz'),
      limits.artifactsBytesMax,
    );
    const keptIndex = async (name: ResultFileName, text: string): Promise<KeptFile> => {
      const content = Readable.from([Buffer.from(text)]);
      return { name, path: pathOf(name), ...(await writeWhole(pathOf(name), content)) };
    };
    const files: KeptFile[] = [
      keptFile('log.gz', pathOf('log.gz'), log),
      keptFile('artifacts.tar.gz', pathOf('artifacts.tar.gz'), artifacts),
      await keptIndex('log-index.json', logIndexText(log.index)),
      await keptIndex('artifacts-index.json', artifactsIndexText(artifacts.index)),
    ];
    signal.throwIfAborted();
    return { files, excerpt: log.excerpt };
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}

function keptFile(name: ResultFileName, path: string, { size, sha256 }: WrittenFile): KeptFile {
  return { name, path, size, sha256 };
}
