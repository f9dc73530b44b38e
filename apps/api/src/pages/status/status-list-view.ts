import type { NeutralStatus } from '@proctor/contracts';
import type { StatusRecord } from '@proctor/database';
import type { SuiteArch, StatusWord, WordCounts } from '../../public-data/status.service';
import { statusOf } from '../../runs/result-object';
import { listPages } from '../layout/package-list';
import { utc } from '../layout/times';
import { runView } from '../runs/run-view';

interface ListAsked extends SuiteArch {
  words: StatusWord[];
  /** The one status that is shown; null for all. */
  word: StatusWord | null;
  /** Name before the first package; empty at the beginning. */
  after: string;
  counts: WordCounts;
}

/** A part of the packages of a suite and architecture with their latest status. */
export function statusListView(
  { suite, arch, words, word, after, counts }: ListAsked,
  records: StatusRecord[],
  hasMore: boolean,
  neutral: NeutralStatus,
) {
  const url = `/status/${suite}/${arch}/`;
  const lastName = hasMore ? (records.at(-1)?.package ?? null) : null;
  return {
    suite,
    arch,
    url,
    jsonUrl: `/data/status/${suite}/${arch}/packages.json`,
    words,
    word,
    counts,
    packages: records.map((record) => ({
      run: runView(record, neutral),
      previous: statusOf(record.previousStatus, neutral),
      lastPass: record.lastPass ? `${record.lastPass.version} (${utc(record.lastPass.date)})` : '',
    })),
    pages: listPages(url, after, lastName, word),
  };
}
