import type { ResultResource } from '@proctor/resources';
import { type TableColumn, span } from '../output/table';

/** How a run ended: its status, but for one of a package that was not there. Null while there is none. */
export function endWord({ status, verdict }: Pick<ResultResource, 'status' | 'verdict'>): string | null {
  return verdict === 'absent' ? verdict : status;
}

/** A list of runs. */
export const RUN_COLUMNS: TableColumn<ResultResource>[] = [
  { head: 'RUN', of: (run) => run.run_id },
  { head: 'PACKAGE', of: (run) => run.package, isCut: true },
  { head: 'SUITE', of: (run) => run.suite },
  { head: 'ARCH', of: (run) => run.arch },
  { head: 'STATE', of: (run) => run.state },
  { head: 'STATUS', of: endWord },
  { head: 'VERSION', of: (run) => run.version, isCut: true },
  { head: 'TRIGGER', of: (run) => run.trigger, isCut: true },
  { head: 'ASKED', of: (run) => new Date(run.created_at) },
  { head: 'TOOK', of: (run) => (run.duration_seconds === null ? null : span(run.duration_seconds)) },
];

/** Runs with a known place and nothing else. */
export const PLACED_RUN_COLUMNS: TableColumn<
  Pick<ResultResource, 'run_id' | 'package' | 'suite' | 'arch'>
>[] = [
  { head: 'RUN', of: (run) => run.run_id },
  { head: 'PACKAGE', of: (run) => run.package, isCut: true },
  { head: 'SUITE', of: (run) => run.suite },
  { head: 'ARCH', of: (run) => run.arch },
];
