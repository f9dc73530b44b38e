import type { NeutralStatus } from '@proctor/contracts';
import type { PackageStatus, RunRecord } from '@proctor/database';
import type { RunError } from '@proctor/dispatch';
import { comparisonPath, errorPath, historyPath } from '../../runs/page-paths';
import { statusOf } from '../../runs/result-object';
import { sinceWords } from '../layout/sentence';
import type { viewOfNote } from '../notes/note-view';
import { excerptView } from '../runs/excerpt-view';

/** Lines before and after the error. */
const LINES_AROUND = 2;

/** A place where the package fails. */
export interface FailingPlace {
  /** The newest run there. */
  run: RunRecord;
  /** The stored status there, which may be missing for about a second after the first run. */
  status: PackageStatus | undefined;
  /**
   * The number of packages whose version differs between the last run that passed and the first that failed;
   * null when the packages of one of the two are not known.
   */
  changedPackages: number | null;
  error: RunError | null;
  notes: ReturnType<typeof viewOfNote>[];
  mayBeRetried: boolean;
}

/** A place where the package fails: the first failure, the change before it, the error, and the other architectures. */
export function failureView(
  { run, status, changedPackages, error, notes, mayBeRetried }: FailingPlace,
  latest: RunRecord[],
  unfinished: RunRecord[],
  neutral: NeutralStatus,
) {
  const historyUrl = historyPath(run);
  const runUrl = (runId: number): string => `${historyUrl}${runId}/`;
  const { failingSince: first = null, lastPass = null } = status ?? {};
  const retry = unfinished.find(({ retryOf }) => retryOf === run.runId);
  return {
    place: `${run.suite}/${run.arch}`,
    suite: run.suite,
    arch: run.arch,
    historyUrl,
    message: run.message ?? '',
    latestUrl: runUrl(run.runId),
    latestId: String(run.runId),
    first: first && {
      words: sinceWords(first),
      url: runUrl(first.runId),
      trigger: first.trigger ?? '',
    },
    lastPass: lastPass && { words: sinceWords(lastPass), url: runUrl(lastPass.runId) },
    compare: first &&
      lastPass && {
        url: comparisonPath(lastPass.runId, first.runId),
        words: changeWords(changedPackages),
      },
    elsewhere: elsewhereView(run, latest, neutral),
    excerpt: error && excerptView(error.excerpt, run, LINES_AROUND),
    errorUrl: error && errorPath(error.signature),
    notes,
    retry: retry ? { runId: String(retry.runId), url: runUrl(retry.runId) } : null,
    mayBeRetried: mayBeRetried && !retry,
  };
}

type FailureView = ReturnType<typeof failureView>;

/** Cards of failures. The architectures of a suite on which the same error ends the test share a card. */
export function failureCards(failures: FailureView[]) {
  const cards = new Map<string, FailureView[]>();
  for (const failure of failures) {
    const { suite, errorUrl, place } = failure;
    const key = errorUrl === null ? place : `${suite} ${errorUrl}`;
    cards.set(key, [...(cards.get(key) ?? []), failure]);
  }
  return [...cards.values()].map((places) => {
    const [{ suite, message, excerpt, errorUrl, elsewhere }] = places as [FailureView];
    const own = new Set(places.map(({ arch }) => arch));
    const notes = new Map(places.flatMap((place) => place.notes.map((note) => [note.noteId, note])));
    return {
      suite,
      places,
      message,
      excerpt,
      errorUrl,
      elsewhere: elsewhere.filter(({ arch }) => !own.has(arch)),
      notes: [...notes.values()],
    };
  });
}

/** `7 package versions differ` */
function changeWords(count: number | null): string {
  if (count === null) return 'What changed';
  if (count === 0) return 'No package version differs';
  return count === 1 ? '1 package version differs' : `${count} package versions differ`;
}

/** The status of the package on the other architectures of the suite. */
function elsewhereView(run: RunRecord, latest: RunRecord[], neutral: NeutralStatus) {
  return latest
    .filter(({ suite, arch }) => suite === run.suite && arch !== run.arch)
    .map((other) => ({
      arch: other.arch,
      status: statusOf(other.verdict, neutral) ?? '',
      version: other.version ?? '',
      url: historyPath(other),
    }));
}
