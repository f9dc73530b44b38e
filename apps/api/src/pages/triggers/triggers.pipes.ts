import { Inject, Injectable } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { badRequest } from '../../http/problem';
import { asParameter } from '../../http/parameters';
import type { Parameters } from '../../http/parameters';
import { shapeOf } from '../../http/parameters.pipe';
import { queryValue, type ReadValue, text, wordIn } from '../../http/parameter-values';
import type { TriggerGroup } from '@proctor/resources';
import type { TriggerSelection } from '../../runs/trigger-plan';
import { selectionOf, TestSelection, TriggerRequest } from '../../runs/triggers.dto';
import { BEFORE_RUN } from '../../http/path-ids';
import { RETURN_TO } from '../layout/form-page';
import { AFTER_PACKAGE } from '../layout/package-list';

const QUERY_LENGTH_MAX = 200;
const trimmed: ReadValue<string> = (parameter, name) => text(QUERY_LENGTH_MAX)(parameter, name).trim();

/** Reads the parameter `query`: part of a trigger, without spaces around it. */
export const TRIGGER_SEARCH = queryValue(trimmed, '');

/** Reads the parameter `name`: part of the names of packages, without spaces around it. */
const NAME_PART = queryValue(trimmed, '');

/** The query parameters of a trigger page. */
export interface ShownQuery {
  group: TriggerGroup | undefined;
  suite: string | undefined;
  arch: string | undefined;
  signature: string | undefined;
  before: number | null;
  /** A part of the names of packages; empty when not given. */
  name: string;
  /** The last package of the previous page of the table; empty when not given. */
  after: string;
}

/** Reads the query of a trigger page. */
@Injectable()
export class ShownQueryPipe implements PipeTransform<Record<string, unknown>, ShownQuery> {
  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /** @throws Problem 400 when a parameter is not valid */
  transform(query: Record<string, unknown>): ShownQuery {
    const suiteAndArch = { suite: wordIn(query, 'suite'), arch: wordIn(query, 'arch') };
    const { group: asGroup, signature: asSignature } = query;
    // An empty form field counts as not given.
    const fields = Object.entries({ group: asGroup, ...suiteAndArch, signature: asSignature }).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    );
    const parameters: Parameters = new Map(fields.map(([name, value]) => [name, asParameter(value)]));
    const selection = shapeOf(TestSelection, parameters, this.configuration.server);
    const { group: groups, suite, arch, signature } = selection;
    if (groups && groups.length > 1) throw badRequest('group must name one group of tests.');
    return {
      group: groups?.[0],
      suite,
      arch,
      signature,
      before: BEFORE_RUN.transform(query['before']),
      name: NAME_PART.transform(query['name'], { data: 'name' }),
      after: AFTER_PACKAGE.transform(query['after'], { data: 'after' }),
    };
  }
}

export interface TriggerForm {
  selection: TriggerSelection;
  reason: string | undefined;
}

/**
 * Reads the form of a trigger page: the ticked tests (fields such as `run-12`), or all tests of the group when none is
 * ticked. The page that asks for confirmation names the runs.
 */
@Injectable()
export class TriggerFormPipe implements PipeTransform<Parameters, TriggerForm> {
  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /** @throws Problem 400 when a field is not valid; 413 when there are too many runs */
  transform(form: Parameters): TriggerForm {
    const ticked: string[] = [];
    const parameters: Parameters = new Map();
    for (const [name, parameter] of form) {
      const runId = /^run-(\d{1,16})$/.exec(name)?.[1];
      if (runId !== undefined) ticked.push(runId);
      else if (name !== RETURN_TO && parameter.value !== '') parameters.set(name, parameter);
    }
    if (ticked.length > 0) parameters.set('run_ids', asParameter(ticked.join(',')));
    const request = shapeOf(TriggerRequest, parameters, this.configuration.server);
    if (!request.group && !request.run_ids) throw badRequest('Select a group of tests or single runs.');
    return { selection: selectionOf(request), reason: request.reason };
  }
}
