import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ResultFileName } from '@proctor/contracts';
import { packArtifacts } from '../autopkgtest/pack-artifacts';
import { packLog } from '../autopkgtest/pack-log';
import { endOfFile } from '../autopkgtest/plain-file';
import type { RunFolder } from '../sandbox/run-folder';
import type { KeptFile } from '../slot/ports';

const ERRORS_BYTES_MAX = 64 * 1024;

export interface PackLimits {
  logBytesMax: number;
  artifactsBytesMax: number;
}

/** Packs what the runner left into the two files of a result, in the folder `target`, which is made anew. */
export async function packResult(folder: RunFolder, target: string, limits: PackLimits): Promise<KeptFile[]> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const [log, artifacts] = [join(target, 'log.gz'), join(target, 'artifacts.tar.gz')];
  const errors = await endOfFile(folder.errors, ERRORS_BYTES_MAX);
  const substitute = `The test runner wrote no log. Its standard error was:\n${errors || '(nothing)\n'}`;
  await packLog(join(folder.output, 'log'), log, limits.logBytesMax, substitute);
  await packArtifacts(folder.output, artifacts, limits.artifactsBytesMax);
  return Promise.all([describe('log.gz', log), describe('artifacts.tar.gz', artifacts)]);
}

async function describe(name: ResultFileName, path: string): Promise<KeptFile> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { name, path, size: (await stat(path)).size, sha256: hash.digest('hex') };
}
