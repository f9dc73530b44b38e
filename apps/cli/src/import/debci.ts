import { join } from 'node:path';
import { type ImportedRun, ImportConflict, type Imports } from '@proctor/database';
import { NO_OPTIONS } from '@proctor/request-fields';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printNotice } from '../output/print';
import { type ImportedRuns, ThereAndHere, withImports } from './there-and-here';
import { type DebciJob, debciJob, exitCodeOf } from './debci-job';
import { type DebciPeople, importDebciPeople, type PeopleOptions, readDebciPeople } from './debci-people';
import { importDebciFiles, requireFiles } from './debci-files';
import { Progress } from '../output/progress';
import { Table } from './csv-table';

/** Runs per transaction. */
const BATCH = 1_000;

const COLUMNS = ['run_id', 'created_at', 'suite', 'arch', 'status'];

export interface DebciOptions extends PeopleOptions, OutputOptions {
  pending?: 'leave' | 'requeue' | 'cancel';
  files: 'now' | 'later' | 'none';
  /** debci's data folder. */
  data?: string;
  since?: string;
  backend: string;
}

interface Names {
  packages: Map<string, { name: string; backend: string | null; removed: boolean }>;
  workers: Map<string, string>;
}

/** Result of the first pass over all jobs, before anything is written. */
interface Survey {
  jobs: number;
  pending: number;
  lastId: number;
  architectures: Set<string>;
  firstDay: Date;
}

/**
 * Imports everything from the CSV files of debci's tables. If an import was interrupted, the next one continues there.
 * @throws Failure if a row is wrong; nothing is written then
 */
export async function importDebci(folder: string, options: DebciOptions): Promise<void> {
  const since = sinceOf(options.since);
  const tree = options.files === 'now' ? requireFiles(options.data) : null;
  const people = await readDebciPeople(folder);
  const names = await readNames(folder);
  const jobs = new Table(join(folder, 'jobs.csv'), COLUMNS);
  const survey = await surveyOf(jobs, names, since);
  requirePending(survey, options.pending);
  await withImports(async (imports) => {
    await imports.reserveIds(survey.lastId);
    const owners = await importDebciPeople(imports, people, options);
    const packages = [...names.packages.values()];
    for (let start = 0; start < packages.length; start += BATCH)
      await imports.savePackages(packages.slice(start, start + BATCH));
    const comparison = new ThereAndHere();
    const runs = await importJobs(imports, { jobs, names, owners, survey, since, options, comparison });
    await imports.rebuildStatuses([...survey.architectures], survey.firstDay);
    if (tree !== null) await importDebciFiles(imports, wantedJobs(jobs, since), packageOf(names), tree);
    comparison.print(runs, options);
  });
  printNotice(`imported; statuses and statistics follow as soon as a scheduler runs${filesToCome(options)}`);
}

function filesToCome({ files }: DebciOptions): string {
  return files === 'later' ? '. Files: the same command with `--files now --data FOLDER`, at any time' : '';
}

function sinceOf(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new Failure(`--since must be a day or a time, not "${text}"`, EXIT.usage);
}

async function readNames(folder: string): Promise<Names> {
  const packages = new Table(join(folder, 'packages.csv'), ['id', 'name']);
  const workers = new Table(join(folder, 'workers.csv'), ['id', 'name']);
  const packageRows = packages.exists
    ? await packages.all((row) => {
        const backend = row.text('backend') || null;
        return [
          row.requiredText('id'),
          { name: row.requiredText('name'), backend, removed: row.boolean('removed') },
        ] as const;
      })
    : [];
  const workerRows = workers.exists
    ? await workers.all((row) => [row.requiredText('id'), row.requiredText('name')] as const)
    : [];
  return { packages: new Map(packageRows), workers: new Map(workerRows) };
}

function packageOf({ packages }: Names): (job: DebciJob) => string | undefined {
  return ({ packageId, packageName }) => packages.get(packageId ?? '')?.name ?? packageName ?? undefined;
}

async function* wantedJobs(jobs: Table, since: Date | null): AsyncGenerator<DebciJob[]> {
  for await (const part of jobs.read(debciJob))
    yield part.filter(
      ({ createdAt, updatedAt }) => since === null || updatedAt >= since || createdAt >= since,
    );
}

async function surveyOf(jobs: Table, names: Names, since: Date | null): Promise<Survey> {
  const progress = new Progress('reading jobs.csv');
  const survey = { jobs: 0, pending: 0, lastId: 0, architectures: new Set<string>(), firstDay: new Date() };
  const nameOf = packageOf(names);
  const check = (job: DebciJob): DebciJob => {
    if (nameOf(job) === undefined) throw new Error(`package_id "${job.packageId}" is not in packages.csv`);
    return job;
  };
  for await (const part of jobs.read((row) => check(debciJob(row)))) {
    for (const { runId, arch, verdict, createdAt, updatedAt, finishedAt } of part) {
      survey.lastId = Math.max(survey.lastId, runId);
      if (since !== null && updatedAt < since && createdAt < since) continue;
      survey.jobs += 1;
      if (verdict === null) survey.pending += 1;
      survey.architectures.add(arch);
      if (finishedAt && finishedAt < survey.firstDay) survey.firstDay = finishedAt;
    }
    progress.add(part.length);
  }
  progress.end();
  return survey;
}

function requirePending({ pending }: Survey, option: DebciOptions['pending']): void {
  if (pending === 0 || option !== undefined) return;
  throw new Failure(
    `${pending} jobs have not finished; nothing was written`,
    EXIT.usage,
    'Say what becomes of them: --pending requeue (they are tested here), cancel, or leave (for another import).',
  );
}

interface JobsImport {
  jobs: Table;
  names: Names;
  owners: DebciPeople;
  survey: Survey;
  since: Date | null;
  options: DebciOptions;
  comparison: ThereAndHere;
}

async function importJobs(
  imports: Imports,
  { jobs, survey, since, comparison, ...rest }: JobsImport,
): Promise<ImportedRuns> {
  const progress = new Progress('runs', survey.jobs);
  let [added, present] = [0, 0];
  for await (const part of wantedJobs(jobs, since)) {
    for (let place = 0; place < part.length; place += BATCH) {
      const batch = part.slice(place, place + BATCH);
      const removed = await imports.findRemoved(batch.map(({ runId }) => runId));
      const chosenJobs = batch.filter(
        ({ runId, verdict }) => !removed.has(runId) && (verdict !== null || rest.options.pending !== 'leave'),
      );
      const presentIds = await presentOf(imports, chosenJobs, rest.names);
      const runs = chosenJobs
        .filter(({ runId }) => !presentIds.has(runId))
        .map((job) => importedRun(job, rest));
      added += runs.length > 0 ? await asFailure(imports.addRuns(runs)) : 0;
      present += presentIds.size + removed.size;
      const finishedJobs = chosenJobs.filter(({ verdict }) => verdict !== null);
      for (const { suite, arch, verdict } of finishedJobs) comparison.there(suite, arch, verdict!);
      await comparison.here(
        imports,
        finishedJobs.map(({ runId }) => runId),
      );
      progress.add(batch.length);
    }
  }
  progress.end();
  printNotice(`runs: ${added} new${present > 0 ? `, ${present} were here already` : ''}`);
  return { added, present };
}

function presentOf(imports: Imports, jobs: DebciJob[], names: Names): Promise<Set<number>> {
  const nameOf = packageOf(names);
  const runs = jobs.map((job) => ({ ...job, package: nameOf(job)! }));
  return asFailure(imports.present(runs));
}

/** @throws Failure if another run has one of the ids here */
function asFailure<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof ImportConflict)) throw error;
    const advice = 'Import before anybody requests tests here: the ids of debci are kept.';
    throw new Failure(error.message, EXIT.failed, advice);
  });
}

const MESSAGES = {
  pass: 'All tests passed',
  neutral: 'No tests in this package or all skipped',
  fail: 'Tests failed',
  tmpfail: 'Could not run tests due to a temporary testbed failure',
};

function importedRun(
  job: DebciJob,
  { names, owners, options }: Pick<JobsImport, 'names' | 'owners' | 'options'>,
): ImportedRun {
  const packageRow = names.packages.get(job.packageId ?? '');
  const { userId, keyId } = owners.ownerOf(job.requestorId, job.requestorName);
  const isCancelled = job.verdict === null && options.pending === 'cancel';
  const verdict = isCancelled ? 'tmpfail' : job.verdict;
  const finishedAt = isCancelled ? new Date() : job.finishedAt;
  const took = job.durationSeconds;
  return {
    ...NO_OPTIONS,
    runId: job.runId,
    package: packageOf(names)(job)!,
    suite: job.suite,
    arch: job.arch,
    backend: job.backend ?? packageRow?.backend ?? options.backend,
    variant: job.variant ?? 'autopkgtest',
    // debci's own command line allowed priority 0.
    priority: Math.max(1, job.priority ?? 5),
    trigger: job.trigger,
    isPrivate: job.isPrivate,
    pinPackages: job.pinPackages,
    extraAptSources: job.extraAptSources,
    requestorId: userId,
    apiKeyId: keyId,
    state: verdict === null ? 'queued' : 'finished',
    verdict,
    cancelled: isCancelled,
    attempt: job.verdict === null ? 0 : 1,
    version: verdict === null ? null : (job.version ?? 'n/a'),
    message: messageOf(job, verdict, isCancelled),
    exitCode: exitCodeOf(job.message),
    worker: job.verdict === null ? null : (names.workers.get(job.workerId ?? '') ?? null),
    durationSeconds: job.verdict === null ? null : took,
    createdAt: job.createdAt,
    updatedAt: isCancelled ? finishedAt! : job.updatedAt,
    startedAt: job.finishedAt && new Date(job.finishedAt.getTime() - (took ?? 0) * 1_000),
    finishedAt,
  };
}

function messageOf(
  { message }: DebciJob,
  verdict: ImportedRun['verdict'],
  isCancelled: boolean,
): string | null {
  if (verdict === null) return null;
  return isCancelled ? 'cancelled when it was imported' : message || MESSAGES[verdict];
}
