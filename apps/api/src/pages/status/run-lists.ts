import { runIdIn } from '@proctor/contracts';
import type { NeutralStatus } from '@proctor/contracts';
import type { ListedMismatch, RunRecord, StatusLists } from '@proctor/database';
import { cursor } from '../../http/parts';
import { resultObject } from '../../runs/result-object';
import type { FeedEntry } from '../../public-data/status-feed';
import { runView } from '../runs/run-view';
import { wantedVersions } from '../../runs/wanted-versions';
import { mismatchesOf } from '../runs/run-sentence';
import type { ListColumn, StatusList } from './status-list';
import { runUrl } from './package-columns';

const BY_RUN = cursor<Pick<RunRecord, 'runId'>>('the id of a run', { runId: runIdIn });
type RunList<Run> = StatusList<Run, Pick<RunRecord, 'runId'>>;

/** The list of runs that wait. */
export function pendingList(lists: StatusLists, neutral: NeutralStatus): RunList<RunRecord> {
  const view = (run: RunRecord) => runView(run, neutral);
  return {
    name: 'pending',
    title: 'Waiting runs',
    nouns: () => ['waiting run', 'waiting runs'],
    order: 'by priority, then by time of request',
    columns: [
      ...runColumns(neutral),
      { head: 'Requested', cell: (run) => ({ at: run.createdAt, url: null }) },
      { head: 'Priority', className: 'number', cell: ({ priority }) => ({ text: String(priority) }) },
      { head: 'Trigger', className: 'text', cell: (run) => ({ triggers: view(run).triggerInBrief }) },
    ],
    cursor: BY_RUN,
    read: (query, limit, after) => lists.waiting(query, limit, after?.runId ?? null),
    count: (query) => lists.count('waiting', query),
    keyOf: (run) => run,
    object: (run) => resultObject(run, neutral),
    entry: (run) => entryOf(run, `${run.package} waits for ${run.suite}/${run.arch}`, run.createdAt),
  };
}

/** The list of runs that tested other versions or suites than requested. */
export function mismatchList(lists: StatusLists, neutral: NeutralStatus): RunList<ListedMismatch> {
  const differences = (run: ListedMismatch): string => {
    const { otherVersions, otherSuites, fallbackRelease: release } = run;
    const fallback = release === null ? null : { release, line: null };
    return mismatchesOf(run, { otherVersions, otherSuites, fallback })
      .map(({ sentence }) => sentence)
      .join(' ');
  };
  return {
    name: 'mismatches',
    title: 'Mismatched runs',
    nouns: () => ['run that did not test what was requested', 'runs that did not test what was requested'],
    order: 'newest first',
    columns: [
      ...runColumns(neutral),
      { head: 'What differs', className: 'text', cell: (run) => ({ text: differences(run) }) },
      { head: 'Tested', className: 'version', cell: ({ version }) => ({ text: version ?? 'n/a' }) },
      {
        head: 'Status',
        cell: (run) => ({ status: runView(run, neutral).status, url: runView(run, neutral).runUrl }),
      },
      { head: 'Ended', cell: (run) => ({ at: run.finishedAt, url: null }) },
      {
        head: 'Trigger',
        className: 'text',
        cell: (run) => ({ triggers: runView(run, neutral).triggerInBrief }),
      },
    ],
    cursor: BY_RUN,
    read: (query, limit, after) => lists.mismatches(query, limit, after?.runId ?? null),
    count: (query) => lists.countMismatches(query),
    keyOf: (run) => run,
    object: ({ otherVersions, otherSuites, fallbackRelease, ...run }) => ({
      ...resultObject(run, neutral),
      wanted_version: wantedVersions(run)?.[0] ?? null,
      other_versions: otherVersions,
      other_suites: otherSuites,
      fallback_release: fallbackRelease,
    }),
    entry: (run) => ({
      ...entryOf(
        run,
        `${run.package} on ${run.suite}/${run.arch}: the test differs from the request`,
        run.finishedAt ?? run.updatedAt,
      ),
      text: differences(run),
    }),
  };
}

function runColumns(neutral: NeutralStatus): ListColumn<RunRecord>[] {
  return [
    {
      head: 'Package',
      className: 'name',
      cell: (run) => ({ link: { url: runView(run, neutral).packageUrl, text: run.package } }),
    },
    { head: 'Suite/arch', cell: ({ suite, arch }) => ({ text: `${suite}/${arch}` }) },
    {
      head: 'Run',
      cell: (run) => ({ link: { url: runView(run, neutral).runUrl, text: String(run.runId) } }),
    },
  ];
}

function entryOf(run: RunRecord, title: string, date: Date): FeedEntry {
  return { path: runUrl(run, run.runId), title, text: run.trigger ?? '', date };
}
