import { isUntested } from '@proctor/contracts';
import type { ResultResource } from '@proctor/resources';
import { type OutputOptions, printJson, printNotice, printTable } from '../output/print';
import { type TableColumn, span } from '../output/table';
import type { ServiceOptions } from '../service/address';
import { type Query, Service } from '../service/service';

interface RunPage {
  results: ResultResource[];
  before: number | null;
}

/** Runs in one answer of the API. */
const PART_MAX = 500;

interface ListOptions extends ServiceOptions, OutputOptions {
  package?: string;
  suite?: string;
  arch?: string;
  status?: string;
  state?: string;
  trigger?: string;
  requestor?: string;
  since?: number;
  limit: number;
}

/** Prints up to `limit` runs, with as many requests as necessary. */
export async function listRuns({ context, json, limit, ...selectors }: ListOptions): Promise<void> {
  const service = await Service.find({ ...(context !== undefined && { context }) });
  const results: ResultResource[] = [];
  let before: number | null = null;
  do {
    const part: Query = {
      limit: Math.min(limit - results.length, PART_MAX),
      ...(before !== null && { before }),
    };
    const answer: RunPage = await service.request('/runs', { ...selectors, ...part });
    results.push(...answer.results);
    before = answer.before;
  } while (before !== null && results.length < limit);
  if (json) return printJson({ results, before });
  printTable(results, RUN_COLUMNS, 'no run matches');
  if (before !== null) printNotice(`there are more; use --limit ${limit * 2} to see more`);
}

/** The outcome of a run: its verdict if nothing was tested, else its status. Null before the end. */
export function endWord({ status, verdict }: Pick<ResultResource, 'status' | 'verdict'>): string | null {
  return isUntested(verdict) ? verdict : status;
}

/** Columns of a list of runs. */
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

/** Columns of a list that names only the place of each run. */
export const PLACED_RUN_COLUMNS: TableColumn<
  Pick<ResultResource, 'run_id' | 'package' | 'suite' | 'arch'>
>[] = [
  { head: 'RUN', of: (run) => run.run_id },
  { head: 'PACKAGE', of: (run) => run.package, isCut: true },
  { head: 'SUITE', of: (run) => run.suite },
  { head: 'ARCH', of: (run) => run.arch },
];
