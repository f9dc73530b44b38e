import type { ResultResource } from '@proctor/resources';
import {
  isUntested,
  type NeutralStatus,
  packagePrefix,
  timestamp,
  UNTESTED,
  VERDICTS,
} from '@proctor/contracts';
import type { PackageVerdict, ResultContentName, Status, UntestedVerdict, Verdict } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import { resultOptions } from '@proctor/request-fields';
import { shortRunPath } from './page-paths';

/** How the interface words a verdict; null while there is none. */
export function statusOf(verdict: Verdict, neutral: NeutralStatus): PackageVerdict;
export function statusOf(verdict: Verdict | null, neutral: NeutralStatus): Status;
export function statusOf(verdict: Verdict | null, neutral: NeutralStatus): Status {
  if (isUntested(verdict)) return UNTESTED[verdict].status;
  return verdict === 'neutral' ? neutral : verdict;
}

/** How pages and commands word the end of a run: as the interface does, but for one that tested nothing. */
export function endWord(verdict: Verdict | null, neutral: NeutralStatus): Status | UntestedVerdict {
  return isUntested(verdict) ? verdict : statusOf(verdict, neutral);
}

/** The words of all ends that there are in this deployment. */
export function endWords(neutral: NeutralStatus): string[] {
  return VERDICTS.filter((verdict) => endWord(verdict, neutral) === verdict);
}

/** The verdicts that a filter with this word lets through: a run that tested nothing is no failure. */
export function verdictsOf(word: string, neutral: NeutralStatus): Verdict[] {
  return VERDICTS.filter((verdict) => endWord(verdict, neutral) === word);
}

/** Path of a run's file below /data, where a private run's needs the key that asked; null when there is no file. */
export function fileUrl(run: RunRecord, name: ResultContentName): string | null {
  const size = name === 'log.gz' ? run.logSize : run.artifactsSize;
  if (run.state !== 'finished' || size === null) return null;
  const folder = `${run.suite}/${run.arch}/${packagePrefix(run.package)}/${run.package}`;
  return `/data/autopkgtest/${folder}/${run.runId}/${name}`;
}

/** A run as the API shows it. Every key is always there, null where nothing is known yet. */
export function resultObject(run: RunRecord, neutral: NeutralStatus): ResultResource {
  const finished = run.state === 'finished';
  return {
    package: run.package,
    arch: run.arch,
    suite: run.suite,
    version: finished ? (run.version ?? 'n/a') : null,
    status: finished ? statusOf(run.verdict, neutral) : null,
    run_id: run.runId,
    ...resultOptions(run),
    updated_at: timestamp(run.updatedAt),
    date: run.finishedAt && timestamp(run.finishedAt),
    duration_seconds: run.durationSeconds,
    created_at: timestamp(run.createdAt),
    message: run.message,
    exit_code: run.exitCode,
    worker: run.worker,
    attempt: run.attempt,
    state: run.state,
    verdict: run.verdict,
    trouble: run.trouble,
    log_url: fileUrl(run, 'log.gz'),
    artifacts_url: fileUrl(run, 'artifacts.tar.gz'),
    page_url: shortRunPath(run.runId),
  };
}
