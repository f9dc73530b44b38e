import {
  duration,
  type NeutralStatus,
  OWN_FIELDS,
  packagePrefix,
  type ResultColumns,
} from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import { valueText } from '@proctor/request-fields';
import { historyPath, runPath } from '../../runs/page-paths';
import { endWord, fileUrl } from '../../runs/result-object';
import { imageInWords } from '../../runs/testbed-image';
import { secondsInWords, utc } from '../layout/times';

const BRIEF_LENGTH_MAX = 300;

/** Shortens a text, such as a trigger or a message, for a row of a table. */
export function inBrief(text: string): string {
  return text.length > BRIEF_LENGTH_MAX ? `${text.slice(0, BRIEF_LENGTH_MAX)}…` : text;
}

/** A run, for pages. All values are text, except the times in `at` and `isPrivate`; empty when there is no value. */
export function runView(run: RunRecord, neutral: NeutralStatus) {
  const packageUrl = historyPath(run);
  const isFinished = run.state === 'finished';
  const textOf = (time: Date | null): string => (time ? utc(time) : '');
  return {
    runId: String(run.runId),
    package: run.package,
    prefix: packagePrefix(run.package),
    suite: run.suite,
    arch: run.arch,
    packageUrl,
    runUrl: runPath(run),
    logUrl: fileUrl(run, 'log.gz'),
    artifactsUrl: fileUrl(run, 'artifacts.tar.gz'),
    version: isFinished ? (run.version ?? 'n/a') : '',
    state: run.state,
    status: isFinished ? (endWord(run.verdict, neutral) ?? '') : '',
    /** The word beside the icon: the status of a finished run, else `waiting` or `running`. */
    word: wordOf(run, neutral),
    message: run.message ?? '',
    messageInBrief: inBrief(run.message ?? ''),
    trigger: run.trigger ?? '',
    triggerInBrief: inBrief(run.trigger ?? ''),
    pins: valueText('pins', run.pinPackages),
    extraAptSources: valueText('names', run.extraAptSources),
    image: run.image ? imageInWords(run.image) : '',
    requestor: run.requestor,
    worker: run.worker ?? '',
    attempt: run.attempt === 0 ? '' : String(run.attempt),
    /** In the format of debci histories. */
    duration: run.durationSeconds === null ? '' : duration(run.durationSeconds),
    took: run.durationSeconds === null ? '' : secondsInWords(run.durationSeconds),
    created: utc(run.createdAt),
    started: textOf(run.startedAt),
    finished: textOf(run.finishedAt),
    /** These times as dates. */
    at: { created: run.createdAt, started: run.startedAt, finished: run.finishedAt },
    isPrivate: run.isPrivate,
  };
}

/** Rows of the page of a run for fields that it shows as they are. The text is empty when there is no value. */
export function ownRows(run: RunRecord): [title: string, text: string][] {
  return OWN_FIELDS.flatMap(({ title, name }): [string, string][] =>
    title === undefined ? [] : [[title, String(run[name as keyof ResultColumns] ?? '')]],
  );
}

/** The status of a finished run, else `waiting` or `running`. */
export function wordOf(
  { state, cancelled, verdict }: Pick<RunRecord, 'state' | 'cancelled' | 'verdict'>,
  neutral: NeutralStatus,
): string {
  if (state !== 'finished') return state === 'queued' ? 'waiting' : 'running';
  return cancelled ? 'cancelled' : (endWord(verdict, neutral) ?? state);
}

export type RunView = ReturnType<typeof runView>;
