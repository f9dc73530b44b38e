import { isUntested, UNTESTED, UNTESTED_VERDICTS } from '@proctor/contracts';
import type { ResultResource } from '@proctor/resources';
import { setTimeout as pause } from 'node:timers/promises';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printJson, printTable, printNotice } from '../output/print';
import type { ServiceOptions } from '../service/address';
import { RefusedByService, Service } from '../service/service';
import { endWord, RUN_COLUMNS } from './list-runs';
import { readRun } from './show-run';

export interface WaitOptions {
  /** Seconds. */
  timeout?: number;
}

/** The pause between two looks at the same run. It is short at first, when a short test may end. */
const LOOK_MIN_MS = 250;
const LOOK_MAX_MS = 5_000;
const LOOK_FACTOR = 1.4;
/** Requests at the same time, for many runs. */
const SIDE_BY_SIDE = 8;

/**
 * Ends with 0 if all runs have passed. @throws Failure whose code is that of the worst outcome, if not all have passed
 */
export async function waitForRuns(
  runIds: number[],
  options: ServiceOptions & OutputOptions & WaitOptions,
): Promise<void> {
  await awaitRuns(await Service.find(options), runIds, options);
}

/**
 * Waits for runs, reports their changes on the way, and prints them at the end.
 * @throws Failure `failed` if a run has failed or its package is not there; `tryLater` if otherwise one ended as tmpfail,
 * or not in time; `usage` if one does not exist
 */
export async function awaitRuns(
  service: Service,
  runIds: number[],
  { json, timeout }: OutputOptions & WaitOptions,
): Promise<void> {
  const runs = new Map<number, ResultResource>();
  const endMs = performance.now() + (timeout ?? Infinity) * 1000;
  for (let lookMs = LOOK_MIN_MS; ; lookMs = Math.min(lookMs * LOOK_FACTOR, LOOK_MAX_MS)) {
    const open = runIds.filter((runId) => runs.get(runId)?.status == null);
    await sideBySide(open, async (runId) => {
      const run = await readRun(service, runId).catch(asUsage);
      printChange(runs.get(runId), run);
      runs.set(runId, run);
    });
    const rest = open.filter((runId) => runs.get(runId)!.status === null);
    if (rest.length === 0) break;
    if (performance.now() + lookMs > endMs) throw notInTime(rest, timeout!);
    await pause(lookMs);
  }
  const results = runIds.map((runId) => runs.get(runId)!);
  if (json) printJson({ results });
  else printTable(results, RUN_COLUMNS, '');
  judge(results);
}

function judge(results: ResultResource[]): void {
  const failures = results.filter(({ status, verdict }) => status === 'fail' && !isUntested(verdict));
  const untested = results.filter(({ verdict }) => isUntested(verdict));
  const broken = results.filter(({ status }) => status === 'tmpfail');
  const [first] = [...failures, ...broken, ...untested];
  if (first === undefined) return;
  const parts = [
    failures.length > 0 && `${failures.length} failed`,
    broken.length > 0 && `${broken.length} without a verdict`,
    ...UNTESTED_VERDICTS.map((word) => {
      const { length } = untested.filter(({ verdict }) => verdict === word);
      return length > 0 && `${length} ${UNTESTED[word].afterCount}`;
    }),
  ];
  throw new Failure(
    `of ${results.length} ${results.length === 1 ? 'run' : 'runs'} ${parts.filter(Boolean).join(', ')}`,
    failures.length + untested.length > 0 ? EXIT.failed : EXIT.tryLater,
    `proctor run explain ${first.run_id} says why`,
  );
}

function notInTime(runIds: number[], seconds: number): Failure {
  const what = runIds.length === 1 ? `run ${runIds[0]} has` : `${runIds.length} runs have`;
  return new Failure(
    `${what} not ended within ${seconds} s`,
    EXIT.tryLater,
    `proctor run explain ${runIds[0]} says why; wait again: proctor run wait ${runIds.slice(0, 5).join(' ')}${runIds.length > 5 ? ' …' : ''}`,
  );
}

/** Changes the exit code of a run that does not exist: with 1, a script would think that it has failed. */
function asUsage(error: unknown): never {
  if (error instanceof RefusedByService && [404, 410].includes(error.status))
    throw new Failure(error.message, EXIT.usage, error.advice);
  throw error;
}

function printChange(before: ResultResource | undefined, now: ResultResource): void {
  if (before?.state === now.state && before.attempt === now.attempt) return;
  const where = now.worker === null ? '' : ` on ${now.worker}`;
  const reason = now.state === 'queued' && now.reasons?.[0] ? `: ${now.reasons[0]}` : '';
  const ending = now.message === null ? '' : `: ${now.message}`;
  const what = now.status === null ? `${now.state}${where}${reason}` : `${endWord(now)}${ending}`;
  printNotice(`run ${now.run_id} of ${now.package}: ${what.replace(/\p{Cc}+/gu, ' ')}`);
}

async function sideBySide<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, items.length) }, worker));
}
