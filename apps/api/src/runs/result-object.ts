import {
  ANSWER_FIELDS,
  isUntested,
  type NeutralStatus,
  packagePrefix,
  timestamp,
  UNTESTED,
  VERDICTS,
} from '@proctor/contracts';
import type {
  ComputedFields,
  PackageVerdict,
  ResultColumns,
  ResultContentName,
  AnsweredRun,
  Status,
  UntestedVerdict,
  Verdict,
} from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import { shortRunPath } from './page-paths';

/** A verdict in the words of the interface; null if there is none yet. */
export function statusOf(verdict: Verdict, neutral: NeutralStatus): PackageVerdict;
export function statusOf(verdict: Verdict | null, neutral: NeutralStatus): Status;
export function statusOf(verdict: Verdict | null, neutral: NeutralStatus): Status {
  if (isUntested(verdict)) return UNTESTED[verdict].status;
  return verdict === 'neutral' ? neutral : verdict;
}

/**
 * The end of a run in the words of pages and commands: those of the interface, except for runs that tested nothing.
 */
export function endWord(verdict: Verdict | null, neutral: NeutralStatus): Status | UntestedVerdict {
  return isUntested(verdict) ? verdict : statusOf(verdict, neutral);
}

/** All words for ends in this deployment. */
export function endWords(neutral: NeutralStatus): string[] {
  return VERDICTS.filter((verdict) => endWord(verdict, neutral) === verdict);
}

/** The verdicts that a filter with this word selects: a run that tested nothing is no failure. */
export function verdictsOf(word: string, neutral: NeutralStatus): Verdict[] {
  return VERDICTS.filter((verdict) => endWord(verdict, neutral) === word);
}

/**
 * The path of a run's file below /data; for a private run it needs the key of the request. Null if there is no file.
 */
export function fileUrl(run: RunRecord, name: ResultContentName): string | null {
  const size = name === 'log.gz' ? run.logSize : run.artifactsSize;
  if (run.state !== 'finished' || size === null) return null;
  const folder = `${run.suite}/${run.arch}/${packagePrefix(run.package)}/${run.package}`;
  return `/data/autopkgtest/${folder}/${run.runId}/${name}`;
}

/** A run in the form of the API. It always has every key; unknown values are null. */
export function resultObject(run: RunRecord, neutral: NeutralStatus): AnsweredRun {
  const isFinished = run.state === 'finished';
  const computed: ComputedFields = {
    version: isFinished ? (run.version ?? 'n/a') : null,
    status: isFinished ? statusOf(run.verdict, neutral) : null,
    logUrl: fileUrl(run, 'log.gz'),
    artifactsUrl: fileUrl(run, 'artifacts.tar.gz'),
    pageUrl: shortRunPath(run.runId),
  };
  const columns: ResultColumns = run;
  const result: Record<string, unknown> = {};
  for (const field of ANSWER_FIELDS) {
    const value = field.isComputed ? computed[field.name] : columns[field.name];
    result[field.result] = value instanceof Date ? timestamp(value) : value;
  }
  return result as AnsweredRun;
}
