import { Inject, Injectable } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { isRunId } from '@proctor/contracts';
import type { NeutralStatus, RunState, Verdict } from '@proctor/contracts';
import type { OwnRunFilter } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { badRequest } from '../../http/problem';
import type { Parameters } from '../../http/parameters';
import { flagIn, fromQuery, oneOf, pattern, type ReadValue, wordsIn } from '../../http/parameter-values';
import { endWords, verdictsOf } from '../../runs/result-object';
import { BEFORE_RUN } from '../../http/path-ids';

const TEXTS = ['package', 'trigger', 'status', 'readers'] as const;

/** Limit for a text of the filter, so that the address does not become too long. */
const TEXT_LENGTH_MAX = 16_384;

/** The values of the filter `readers`. */
export const READERS = ['public', 'private'];

/** The filter of the list of a user's runs. */
export interface JobFilter {
  package?: string;
  /** Part of the trigger. */
  trigger?: string;
  /** Null for all suites. */
  suites: string[] | null;
  architectures: string[] | null;
  /** A word of `statusWords`. */
  status?: string;
  /** A word of `READERS`. */
  readers?: string;
  /** Only runs with lower ids; null on the first page. */
  before: number | null;
  /** Whether all runs of the page are ticked. */
  areAllTicked: boolean;
}

/** The values of the filter `status`. */
export function statusWords(neutral: NeutralStatus): string[] {
  return ['waiting', 'running', ...endWords(neutral)];
}

/** Reads the query of a list of runs. An empty form field counts as not given. */
@Injectable()
export class JobFilterPipe implements PipeTransform<Record<string, unknown>, JobFilter> {
  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /** @throws Problem 400 when a field is given twice or has an unknown value; 404 when `before` cannot be the id of a run */
  transform(query: Record<string, unknown>): JobFilter {
    const filter: JobFilter = {
      suites: wordsIn(query, 'suite'),
      architectures: wordsIn(query, 'arch'),
      before: BEFORE_RUN.transform(query['before']),
      areAllTicked: fromQuery('tick', query['tick'], oneOf(['all'])) !== null,
    };
    const words: Partial<Record<string, ReadValue<string>>> = {
      status: oneOf(statusWords(this.configuration.server.neutral)),
      readers: oneOf(READERS),
    };
    for (const field of TEXTS) {
      const value = fromQuery(field, query[field], words[field] ?? pattern(TEXT_LENGTH_MAX));
      if (value !== null) filter[field] = value;
    }
    const isPrivate = flagIn(query, 'is_private');
    if (isPrivate === null) return filter;
    const readers = isPrivate ? 'private' : 'public';
    if (filter.readers === undefined || filter.readers === readers) return { ...filter, readers };
    throw badRequest(`readers is ${filter.readers}, and is_private says ${isPrivate}.`);
  }
}

export function isFiltered(filter: JobFilter): boolean {
  const { suites, architectures } = filter;
  return suites !== null || architectures !== null || TEXTS.some((field) => filter[field] !== undefined);
}

/** The filter in the form that the database needs. */
export function ownRunFilter(
  { status, readers, ...filter }: JobFilter,
  neutral: NeutralStatus,
): OwnRunFilter {
  const { package: name, trigger, suites, architectures } = filter;
  const isPrivate = readers === undefined ? undefined : readers === 'private';
  return { package: name, trigger, suites, architectures, isPrivate, ...outcomeOf(status, neutral) };
}

function outcomeOf(
  status: string | undefined,
  neutral: NeutralStatus,
): { states?: RunState[]; verdicts?: Verdict[] } {
  if (status === undefined) return {};
  if (status === 'waiting') return { states: ['queued'] };
  if (status === 'running') return { states: ['leased', 'running'] };
  return { verdicts: verdictsOf(status, neutral) };
}

/** Writes a filter as a query. @param changes replace values of the filter; null removes a value */
export function jobQuery(filter: JobFilter, changes: { before?: number | null; tick?: 'all' } = {}): string {
  const query = new URLSearchParams();
  for (const field of TEXTS) if (filter[field] !== undefined) query.set(field, filter[field]);
  if (filter.suites !== null) query.set('suite', filter.suites.join(','));
  if (filter.architectures !== null) query.set('arch', filter.architectures.join(','));
  const { before = filter.before, tick } = changes;
  if (before !== null) query.set('before', String(before));
  if (tick) query.set('tick', tick);
  return query.toString();
}

/** Reads the ids of the ticked runs, from fields with names such as `run-12`. */
@Injectable()
export class SelectedRunsPipe implements PipeTransform<Parameters, number[]> {
  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /** @throws Problem 400 for too many */
  transform(parameters: Parameters): number[] {
    const runIds = [...parameters.keys()].map((name) => Number(/^run-(\d{1,16})$/.exec(name)?.[1]));
    return this.checkCount(runIds.filter(isRunId));
  }

  protected checkCount(runIds: number[]): number[] {
    const { bulkRunsMax } = this.configuration.server;
    if (runIds.length <= bulkRunsMax) return runIds;
    throw badRequest(`${runIds.length} runs are selected; at most ${bulkRunsMax} can be changed at once.`);
  }
}

/** Reads the parameter `run_ids` (ids separated by commas) or several `run_ids[]`. Values that are not ids are ignored. */
@Injectable()
export class ListedRunsPipe extends SelectedRunsPipe {
  /** @throws Problem 400 for too many */
  override transform(parameters: Parameters): number[] {
    const listed = [parameters.get('run_ids')?.value, parameters.get('run_ids[]')?.value].flat();
    const words = listed.flatMap((each) => (typeof each === 'string' ? each.split(',') : []));
    return this.checkCount([...new Set(words.map(Number))].filter(isRunId));
  }
}
