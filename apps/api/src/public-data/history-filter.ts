import { Injectable } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { type NeutralStatus, VERDICTS } from '@proctor/contracts';
import type { HistoryFilter } from '@proctor/database';
import { fromQuery, oneOf, text as textOf } from '../http/parameter-values';
import { OptionalField, sentAs, text, words } from '@proctor/resources';
import { verdictsOf } from '../runs/result-object';
import { StatusService } from './status.service';

const TRIGGER_LENGTH_MAX = 200;
const PINNED = ['yes', 'no'] as const;

/** The filter of a history; empty fields do not filter. */
export class HistoryParameters {
  @OptionalField(
    sentAs<string>(words(VERDICTS)),
    'Only runs that ended so. `neutral` is a word only where the deployment says it (`api.neutral`), and 400 elsewhere: `pass` means those runs too.',
  )
  status: string;

  @OptionalField(
    text({ maxLength: TRIGGER_LENGTH_MAX }),
    'Only runs with this part in their trigger, in any letter case.',
  )
  trigger: string;

  @OptionalField(sentAs<string>(words(PINNED)), 'Only runs with pins or extra sources, or without both.')
  pinned: string;
}

/** The parameters `status`, `trigger` and `pinned` of a history; empty where one is absent. */
@Injectable()
export class HistoryWantedPipe implements PipeTransform<Record<string, unknown>, HistoryParameters> {
  constructor(private readonly status: StatusService) {}

  /** @throws Problem 400 for a value that no run of a history can have */
  transform(query: Record<string, unknown>): HistoryParameters {
    const status = fromQuery('status', query['status'], oneOf(this.status.historyWords)) ?? '';
    const pinned = fromQuery('pinned', query['pinned'], oneOf(PINNED)) ?? '';
    const trigger = fromQuery('trigger', query['trigger'], textOf(TRIGGER_LENGTH_MAX)) ?? '';
    return { status, trigger, pinned };
  }
}

/** Converts the filter of a request to the filter of the database. */
export function historyFilter(
  { status, trigger, pinned }: HistoryParameters,
  neutral: NeutralStatus,
): HistoryFilter {
  return {
    verdicts: status ? verdictsOf(status, neutral) : null,
    trigger: trigger || null,
    isPinned: pinned ? pinned === 'yes' : null,
  };
}

/** The query of an address with this filter, before a given run; empty, or with its `?`. */
export function historyQuery({ status, trigger, pinned }: HistoryParameters, before: number | null): string {
  const entries = Object.entries({ status, trigger, pinned, before: before === null ? '' : String(before) });
  const parameters = new URLSearchParams(entries.filter(([, value]) => value !== ''));
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
}
