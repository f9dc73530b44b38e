import { createReadStream, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { COMMAND_LINE, ImportConflict, type ImportedRun, type Imports } from '@proctor/database';
import { NO_OPTIONS } from '@proctor/request-fields';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printNotice } from '../output/print';
import { ThereAndHere, withImports } from './there-and-here';
import { type CloudResult, cloudResult, cloudTest } from './cloud-result';
import { Progress } from '../output/progress';

const SOURCE = 'autopkgtest-cloud';
const BATCH = 1_000;
const FAULTS_MAX = 20;

interface CloudOptions extends OutputOptions {
  sameUsers?: boolean;
  backend: string;
}

interface Owner {
  userId: number;
  keyId: number;
}

/**
 * Imports the results of an autopkgtest-cloud from the lines of JSON that sqlite3 wrote, one for each row. A second
 * import adds only what is new.
 * @throws Failure if a row is wrong; nothing is written then
 */
export async function importCloud(folder: string, options: CloudOptions): Promise<void> {
  const tests = new Map<number, ReturnType<typeof cloudTest>[1]>();
  for await (const part of rows(join(folder, 'test.ndjson'), cloudTest))
    for (const [id, test] of part) tests.set(id, test);
  const results = (): AsyncGenerator<CloudResult[]> =>
    rows(join(folder, 'result.ndjson'), (fields) => cloudResult(fields, tests));
  const requesters = new Set<string>();
  const architectures = new Set<string>();
  let [count, firstDay] = [0, new Date()];
  for await (const part of results()) {
    count += part.length;
    for (const { requester, test, startedAt } of part) {
      requesters.add(requester ?? SOURCE);
      architectures.add(test.arch);
      if (startedAt < firstDay) firstDay = startedAt;
    }
  }
  await withImports(async (imports) => {
    const owners = await makeOwners(imports, requesters, options.sameUsers ?? false);
    const comparison = new ThereAndHere();
    const progress = new Progress('runs', count);
    let added = 0;
    for await (const part of results()) {
      added += await addResults(imports, part, owners, options.backend, comparison);
      progress.add(part.length);
    }
    progress.end();
    await imports.rebuildStatuses([...architectures], firstDay);
    printNotice(`users: ${owners.size}, runs: ${added} new, ${count - added} were here already`);
    comparison.print({ added, present: count - added }, options);
  });
}

/** @throws Failure that names each fault with its file and line, if a row is wrong */
async function* rows<T>(path: string, read: (fields: Record<string, unknown>) => T): AsyncGenerator<T[]> {
  const faults: string[] = [];
  if (!existsSync(path)) throw new Failure(`${path} is not there`);
  let [part, line, faulty]: [T[], number, number] = [[], 0, 0];
  const input = createReadStream(path);
  for await (const text of createInterface({ input, crlfDelay: Infinity })) {
    line += 1;
    if (text === '') continue;
    try {
      part.push(read(JSON.parse(text) as Record<string, unknown>));
    } catch (error) {
      faulty += 1;
      if (faults.length < FAULTS_MAX) faults.push(`${basename(path)}:${line}: ${(error as Error).message}`);
    }
    if (part.length < BATCH) continue;
    yield part;
    part = [];
  }
  yield part;
  if (faulty > 0)
    throw new Failure(`${faulty} rows cannot be imported; nothing was written\n${faults.join('\n')}`);
}

/** Creates the users who requested tests. Each gets a key that owns the results but authenticates no one. */
async function makeOwners(
  imports: Imports,
  names: Set<string>,
  isSame: boolean,
): Promise<Map<string, Owner>> {
  const owners = new Map<string, Owner>();
  for (const name of names) {
    const user = { foreignId: name, name, isAdmin: false, createdAt: new Date(), identity: null };
    const userId = await imports.addUser(SOURCE, user, isSame, COMMAND_LINE).catch((error: unknown) => {
      if (!(error instanceof ImportConflict)) throw error;
      throw new Failure(
        `requester: ${error.message}`,
        EXIT.failed,
        'If that is the same person, use --same-users.',
      );
    });
    const key = { foreignId: name, userId, name: `results of ${SOURCE}`, sha1: null, createdAt: new Date() };
    owners.set(name, { userId, keyId: await imports.addKey(SOURCE, key) });
  }
  return owners;
}

/** @returns the number of new runs */
async function addResults(
  imports: Imports,
  results: CloudResult[],
  owners: Map<string, Owner>,
  backend: string,
  comparison: ThereAndHere,
): Promise<number> {
  const localIds = await imports.localIds(
    SOURCE,
    'run',
    results.map(({ foreignId }) => foreignId),
  );
  const fresh = results.filter(({ foreignId }) => !localIds.has(foreignId));
  const ids = await imports.nextIds(fresh.length);
  const runs = fresh.map((result, place) => runOf(result, ids[place]!, owners, backend));
  if (runs.length > 0)
    await imports.addRuns(runs, { source: SOURCE, ids: fresh.map(({ foreignId }) => foreignId) });
  const removed = await imports.findRemoved([...localIds.values()]);
  for (const { foreignId, test, verdict } of results)
    if (!removed.has(localIds.get(foreignId) ?? NaN)) comparison.there(test.suite, test.arch, verdict);
  await comparison.here(imports, [...localIds.values(), ...ids]);
  return fresh.length;
}

function runOf(result: CloudResult, runId: number, owners: Map<string, Owner>, backend: string): ImportedRun {
  const { test, verdict, startedAt, durationSeconds, environment, exitCode } = result;
  const { userId, keyId } = owners.get(result.requester ?? SOURCE)!;
  const finishedAt = new Date(startedAt.getTime() + durationSeconds * 1_000);
  return {
    ...NO_OPTIONS,
    runId,
    package: test.package,
    suite: test.suite,
    arch: test.arch,
    backend,
    variant: 'autopkgtest',
    trigger: result.trigger,
    requestorId: userId,
    apiKeyId: keyId,
    state: 'finished',
    verdict,
    cancelled: false,
    attempt: 1,
    version: result.version ?? 'n/a',
    message: `autopkgtest exit code ${exitCode}${environment ? `, with ${environment}` : ''}`,
    exitCode,
    worker: null,
    durationSeconds,
    createdAt: startedAt,
    updatedAt: finishedAt,
    startedAt,
    finishedAt,
  };
}
