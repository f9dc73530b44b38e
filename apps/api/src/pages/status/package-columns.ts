import type { ListedStatusResource } from '@proctor/resources';
import { timestamp } from '@proctor/contracts';
import type { NeutralStatus } from '@proctor/contracts';
import type { ListedStatus, PackageStatus, PlaceKey } from '@proctor/database';
import { historyPath, packagePath, runPath } from '../../runs/page-paths';
import { statusOf } from '../../runs/result-object';
import { secondsInWords } from '../layout/times';
import type { ListColumn } from './status-list';

const MESSAGE_LENGTH_MAX = 160;

/** The last change of a status: the package began to fail, or it passes again. */
export function changeOf({ failingSince, recovered, latest }: PackageStatus) {
  return { ...(failingSince ?? recovered ?? { ...latest, trigger: null }), isFailure: failingSince !== null };
}

export function runUrl(status: PlaceKey, runId: number): string {
  return runPath({ ...status, runId });
}

export function place({ suite, arch }: PlaceKey): string {
  return `${suite}/${arch}`;
}

function inBrief(text: string | null): string {
  return text !== null && text.length > MESSAGE_LENGTH_MAX
    ? `${text.slice(0, MESSAGE_LENGTH_MAX).toWellFormed()}…`
    : (text ?? '');
}

export function medianOf({ durations }: PackageStatus): string {
  return durations ? secondsInWords(durations.medianSeconds) : '';
}

export const PACKAGE: ListColumn<PlaceKey> = {
  head: 'Package',
  className: 'name',
  cell: ({ package: name }) => ({
    link: { url: packagePath(name), text: name },
  }),
};
export const PLACE: ListColumn<PlaceKey> = {
  head: 'Suite/arch',
  cell: (status) => ({ link: { url: historyPath(status), text: place(status) } }),
};
export const SINCE: ListColumn<ListedStatus> = {
  head: 'Since',
  cell: (status) => ({
    at: status.failingSince?.date ?? null,
    url: status.failingSince && runUrl(status, status.failingSince.runId),
  }),
};
export const VERSION: ListColumn<ListedStatus> = {
  head: 'Version',
  className: 'version',
  cell: ({ failingSince, latest }) => ({ text: (failingSince ?? latest).version }),
};
export const STRIP: ListColumn<ListedStatus> = {
  head: 'Last runs',
  cell: (status) => ({
    strip: status.strip,
    url: historyPath(status),
    since: status.failingSince?.version ?? '',
  }),
};
export const MESSAGE: ListColumn<ListedStatus> = {
  head: 'Message',
  className: 'text',
  cell: ({ message }) => ({ text: inBrief(message) }),
};
export const TRIGGER: ListColumn<ListedStatus> = {
  head: 'Trigger',
  className: 'text',
  cell: ({ failingSince }) => ({ triggers: inBrief(failingSince?.trigger ?? '') }),
};
export const ENDED: ListColumn<ListedStatus> = {
  head: 'Ended',
  cell: (status) => ({ at: status.latest.date, url: runUrl(status, status.latest.runId) }),
};
export const FLAKINESS: ListColumn<ListedStatus> = {
  head: 'Changes in 30 runs',
  className: 'number',
  cell: ({ flakiness }) => ({ text: String(Math.round(flakiness * 30)) }),
};
export const MEDIAN: ListColumn<ListedStatus> = {
  head: 'Median',
  cell: (status) => ({ text: medianOf(status) }),
};
export const LONG: ListColumn<ListedStatus> = {
  head: '95 % within',
  cell: ({ durations }) => ({ text: durations ? secondsInWords(durations.p95Seconds) : '' }),
};
export const LONGER: ListColumn<ListedStatus> = {
  head: 'Recently',
  cell: ({ isLonger }) => ({ text: isLonger ? '▲ slower than before' : '' }),
};
export const CHANGE: ListColumn<ListedStatus> = {
  head: 'Change',
  cell: (status) => {
    const { isFailure, runId } = changeOf(status);
    return { status: isFailure ? 'fail' : 'pass', url: runUrl(status, runId) };
  },
};
export const CHANGED: ListColumn<ListedStatus> = {
  head: 'When',
  cell: (status) => ({ at: changeOf(status).date, url: null }),
};
export const CHANGED_VERSION: ListColumn<ListedStatus> = {
  head: 'Version',
  className: 'version',
  cell: (status) => ({ text: changeOf(status).version }),
};
export const CHANGED_TRIGGER: ListColumn<ListedStatus> = {
  head: 'Trigger',
  className: 'text',
  cell: (status) => ({ triggers: inBrief(changeOf(status).trigger) }),
};

/** The status of a package on a suite and architecture, as JSON. */
export function statusObject(
  status: PackageStatus & { message?: string | null },
  neutral: NeutralStatus,
): ListedStatusResource {
  const { latest, failingSince, recovered, lastPass, durations } = status;
  const run = <Run extends { runId: number; version: string; date: Date }>(
    of: Run | null,
    trigger?: string | null,
  ) =>
    of && {
      run_id: of.runId,
      version: of.version,
      date: timestamp(of.date),
      ...(trigger !== undefined && { trigger }),
    };
  return {
    package: status.package,
    suite: status.suite,
    arch: status.arch,
    status: statusOf(latest.verdict, neutral),
    version: latest.version,
    date: timestamp(latest.date),
    run_id: latest.runId,
    message: status.message ?? null,
    previous_status: statusOf(status.previousVerdict, neutral),
    failing_since: run(failingSince, failingSince?.trigger ?? null),
    recovered: run(recovered, recovered?.trigger ?? null),
    last_pass: run(lastPass),
    is_flaky: status.isFlaky,
    flakiness: status.flakiness,
    median_seconds: durations?.medianSeconds ?? null,
    p95_seconds: durations?.p95Seconds ?? null,
    page_url: historyPath(status),
  };
}
