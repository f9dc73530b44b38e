import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { WorkerConfiguration } from '@proctor/config';
import type { ErrorExcerpt, ResultFileName } from '@proctor/contracts';
import { artifactsIndexText, logIndexText, withPlausibleTimes } from '@proctor/result-files';
import { packArtifacts } from '../autopkgtest/pack-artifacts';
import { packLog, type LogLimits } from '../autopkgtest/pack-log';
import { endOfFile } from '../autopkgtest/plain-file';
import { writeHashed, type WrittenFile } from '../autopkgtest/written-file';
import type { RunFolder } from '../sandbox/run-folder';
import type { LocalFile } from '../slot/ports';

const ERRORS_BYTES_MAX = 64 * 1024;

export type PackLimits = LogLimits & Pick<WorkerConfiguration, 'artifactsBytesMax'>;

interface PackedResult {
  files: LocalFile[];
  /** The lines of the log around its first error; null when there is none. */
  excerpt: ErrorExcerpt | null;
  /** Why the artifacts are missing; null: they are not. */
  lossReason: string | null;
}

type PathOf = (name: ResultFileName) => string;

/**
 * Packs what the runner left into the files of a result, in the folder `target`, which is emptied first. The log is
 * packed even if the artifacts cannot be. No file is left when the log cannot be packed, or the signal aborts.
 * @param limits with the seconds that the runner worked: no time in the index of its log is longer
 */
export async function packResult(
  folder: RunFolder,
  target: string,
  limits: PackLimits & { ranSeconds: number },
  signal: AbortSignal,
): Promise<PackedResult> {
  await rm(target, { recursive: true, force: true });
  try {
    await mkdir(target, { recursive: true, mode: 0o700 });
    // A runner may have removed it.
    await mkdir(folder.output, { recursive: true, mode: 0o700 });
    const pathOf = (name: ResultFileName): string => join(target, name);
    const errors = await endOfFile(folder.errors, ERRORS_BYTES_MAX);
    const substitute = `The test runner wrote no log. Its standard error was:\n${errors || '(nothing)\n'}`;
    const log = await packLog(join(folder.output, 'log'), pathOf('log.gz'), limits, substitute);
    const sections = withPlausibleTimes(log.index.sections, limits.ranSeconds);
    const logIndex = await writeIndex('log-index.json', pathOf, logIndexText({ ...log.index, sections }));
    const { archive, index, lossReason } = await packArtifactFiles(folder, pathOf, limits);
    signal.throwIfAborted();
    const files = [resultFile('log.gz', pathOf('log.gz'), log), ...archive, logIndex, ...index];
    return { files, excerpt: log.excerpt, lossReason };
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}

async function packArtifactFiles(
  folder: RunFolder,
  pathOf: PathOf,
  { artifactsBytesMax }: PackLimits,
): Promise<{ archive: LocalFile[]; index: LocalFile[]; lossReason: string | null }> {
  const path = pathOf('artifacts.tar.gz');
  try {
    const packed = await packArtifacts(folder.output, path, artifactsBytesMax);
    const index = await writeIndex('artifacts-index.json', pathOf, artifactsIndexText(packed.index));
    return { archive: [resultFile('artifacts.tar.gz', path, packed)], index: [index], lossReason: null };
  } catch (error) {
    const paths = [path, pathOf('artifacts-index.json')];
    await Promise.all(paths.map((each) => rm(each, { force: true })));
    return { archive: [], index: [], lossReason: String(error) };
  }
}

async function writeIndex(name: ResultFileName, pathOf: PathOf, text: string): Promise<LocalFile> {
  const file = await writeHashed(pathOf(name), Readable.from([Buffer.from(text)]));
  return resultFile(name, pathOf(name), file);
}

function resultFile(name: ResultFileName, path: string, { size, sha256 }: WrittenFile): LocalFile {
  return { name, path, size, sha256 };
}
