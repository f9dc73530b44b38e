import type { ResultResource } from '@proctor/resources';
import { type OutputOptions, printJson, printTable, printNotice } from '../output/print';
import type { ServiceOptions } from '../service/address';
import { type Query, Service } from '../service/service';
import { RUN_COLUMNS } from './columns';

interface RunPage {
  results: ResultResource[];
  before: number | null;
}

/** Of one answer. */
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

/** Prints as many runs as were asked for, in as many requests as that takes. */
export async function listRuns({ context, json, limit, ...selectors }: ListOptions): Promise<void> {
  const service = await Service.find({ ...(context !== undefined && { context }) });
  const results: ResultResource[] = [];
  let before: number | null = null;
  do {
    const part: Query = {
      limit: Math.min(limit - results.length, PART_MAX),
      ...(before !== null && { before }),
    };
    const answer: RunPage = await service.get('/runs', { ...selectors, ...part });
    results.push(...answer.results);
    before = answer.before;
  } while (before !== null && results.length < limit);
  if (json) return printJson({ results, before });
  printTable(results, RUN_COLUMNS, 'no run matches');
  if (before !== null) printNotice(`there are more; say --limit ${limit * 2} for more of them`);
}
