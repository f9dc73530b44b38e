import { Matches } from 'class-validator';
import { WORKER_NAME } from './lease-request';
import { isPackageName } from './names';
import { IsSuiteName } from './rules';
import { IsWholeFrom } from './whole-number';

/** The longest list of the packages of a suite: bytes compressed with gzip, bytes of the text, and lines. */
export const SOURCE_NAMES_BYTES_MAX = 4 * 1024 * 1024;
export const SOURCE_NAMES_TEXT_BYTES_MAX = 24 * 1024 * 1024;
export const SOURCE_NAMES_LINES_MAX = 400_000;

/** The oldest list that a worker may offer: a year. */
const AGE_MS_MAX = 366 * 24 * 60 * 60 * 1000;

/**
 * `proctor.rpc.{arch}.{worker}.sources`: the worker knows which packages a suite has on the architecture. The list itself is staged, as
 * `stagedSourceNames`, once the answer requests it.
 */
export class SourceNamesRequest {
  @Matches(WORKER_NAME)
  worker: string;

  @IsSuiteName()
  suite: string;

  /** The SHA-256 of the staged list, lower-case hex. */
  @Matches(/^[0-9a-f]{64}$/)
  sha256: string;

  /** Milliseconds since the archive was seen to have these packages. */
  @IsWholeFrom(0, AGE_MS_MAX)
  ageMs: number;
}

/**
 * `kept`: the list is stored. `upload`: stage the list, and ask again. `later`: ask again after some seconds. `refused`: this list
 * is not stored, and `reason` says why, for people.
 */
export interface SourceNamesReply {
  answer: 'kept' | 'upload' | 'later' | 'refused';
  reason?: string;
}

/** The name of a suite's list in the worker's staging area. */
export function stagedSourceNames(suite: string, arch: string): string {
  return `sources/${suite}/${arch}`;
}

/**
 * A line of a list: `name` is a source package, `name source` a binary package that the source builds. The lines are in the
 * order of their bytes, without repetition. Null when it is not such a line.
 */
export function sourceNamesLine(line: string): { name: string; source: string | null } | null {
  const end = line.indexOf(' ');
  const name = end < 0 ? line : line.slice(0, end);
  const source = end < 0 ? null : line.slice(end + 1);
  return isPackageName(name) && (source === null || isPackageName(source)) ? { name, source } : null;
}
