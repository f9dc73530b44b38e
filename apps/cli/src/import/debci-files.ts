import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { connections } from '@proctor/config';
import { packagePrefix, type ResultContentName } from '@proctor/contracts';
import type { Imports } from '@proctor/database';
import { openStore, type ResultStore } from '@proctor/store';
import { ownConfiguration } from '../configuration';
import { EXIT, Failure } from '../failure';
import { printNotice } from '../output/print';
import type { DebciJob } from './debci-job';
import { Progress } from '../output/progress';

/**
 * @param data debci's data folder
 * @returns the folder in it that has the files of runs
 * @throws Failure if that folder does not exist
 */
export function requireFiles(data: string | undefined): string {
  const tree = join(data ?? '', 'autopkgtest');
  if (data === undefined || !existsSync(tree))
    throw new Failure(`${tree} is not there`, EXIT.usage, '--data names the data folder of debci.');
  return tree;
}

/**
 * Copies logs and artifacts into the store for each run that has none yet.
 * @param tree the folder that has the files of runs
 */
export async function importDebciFiles(
  imports: Imports,
  jobs: AsyncIterable<DebciJob[]>,
  packageOf: (job: DebciJob) => string | undefined,
  tree: string,
): Promise<void> {
  const store = await configuredStore();
  const progress = new Progress('files of runs');
  let [copied, without] = [0, 0];
  try {
    for await (const part of jobs) {
      const finishedJobs = part.filter(({ verdict }) => verdict !== null);
      const wanting = await imports.withoutFiles(finishedJobs.map(({ runId }) => runId));
      for (const job of finishedJobs.filter(({ runId }) => wanting.has(runId))) {
        const name = packageOf(job)!;
        const { suite, arch, runId } = job;
        const folder = join(tree, suite, arch, packagePrefix(name), name, String(runId));
        const log = await copy(store, runId, 'log.gz', join(folder, 'log.gz'));
        const artifacts = await copy(store, runId, 'artifacts.tar.gz', join(folder, 'artifacts.tar.gz'));
        if (log === null && artifacts === null) without += 1;
        else copied += 1;
        if (log !== null || artifacts !== null) await imports.recordFiles(runId, log, artifacts);
        progress.add(1);
      }
    }
  } finally {
    store.onApplicationShutdown();
  }
  progress.end();
  printNotice(`files: of ${copied} runs; ${without} have none there`);
}

/** @returns the size in bytes; null if the file does not exist */
async function copy(
  store: ResultStore,
  runId: number,
  name: ResultContentName,
  path: string,
): Promise<number | null> {
  if (!existsSync(path)) return null;
  const { size } = await stat(path);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  await store.save(runId, 1, name, createReadStream(path), { size, sha256: hash.digest('hex') });
  return size;
}

async function configuredStore(): Promise<ResultStore> {
  const { store } = await ownConfiguration();
  return openStore(store, () => connections().storeCredentials);
}
