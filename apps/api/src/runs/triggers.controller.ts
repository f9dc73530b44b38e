import {
  ManyRunsAnswerResource,
  TriggerList,
  TriggerProgressResource,
  text,
  words,
  TRIGGER_ACTIONS,
  type TriggerAction,
} from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import type { Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader, CurrentRequestor } from '../auth/requestor';
import { readerOf } from '../auth/run-reader';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { wordInPath } from '../http/path-ids';
import { badRequest } from '../http/problem';
import { outcomeObject, previewObject } from './trigger-action-object';
import { TriggerActions } from './trigger-actions.service';
import { TriggerService } from './trigger.service';
import {
  selectionOf,
  TESTS_PER_PAGE,
  TriggerListQuery,
  TriggerQuery,
  TriggerRequest,
  TRIGGERS_PER_PAGE,
} from './triggers.dto';

/** An action on tests of a trigger, in a path. */
export const ACTION_IN_PATH = wordInPath(
  TRIGGER_ACTIONS,
  (text) => `Tests of a trigger can have ${TRIGGER_ACTIONS.join(', ')}, not ${text}.`,
);

/** Tests that new versions of packages have triggered, and actions on all of them. */
@Controller('api/v1/triggers')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class TriggerApiController {
  constructor(
    private readonly triggers: TriggerService,
    private readonly actions: TriggerActions,
  ) {}

  @Operation({
    tag: 'Results',
    id: 'listTriggers',
    summary: 'What new versions have triggered',
    description: [
      'For everybody, without a key: `/data/v1/triggers`.',
      'Words of the triggers of public runs, by their newest run; send `before` for the next part.',
    ].join('\n\n'),
    answer: {
      description: 'A part of the list; it may be empty before its end.',
      of: TriggerList,
      example: { triggers: [], before: null },
    },
  })
  @Get()
  list(
    @Sent() { query = '', before, limit = TRIGGERS_PER_PAGE }: TriggerListQuery,
  ): ReturnType<TriggerService['list']> {
    return this.triggers.list(query, limit, before ?? null);
  }

  @Operation({
    tag: 'Results',
    id: 'getTrigger',
    summary: 'How far the tests of a trigger are',
    description: [
      'For everybody, without a key: `/data/v1/triggers/{package}/{version}`.',
      'The tests that a new version of a package has triggered, each with its group, as far as this key may see the runs. A failed test is a `regression` when the newest `migration-reference/0` run of its package and place passed at most 14 days before it, `as-before` when that failed too, `unknown` without such a run.',
    ].join('\n\n'),
    answer: {
      description: 'The tests, regressions first.',
      of: TriggerProgressResource,
      example: {
        trigger: 'glibc/2.40-4',
        total: 418,
        done: 412,
        counts: {
          regression: 3,
          unknown: 0,
          'as-before': 9,
          infrastructure: 1,
          waiting: 6,
          passed: 399,
          superseded: 2,
        },
        architectures: [{ arch: 'armhf', total: 60, waiting: 6, estimate_seconds: 1500 }],
        is_cut: false,
        tests: [],
        before: null,
      },
    },
    path: { package: { of: text(), example: 'glibc' }, version: { of: text(), example: '2.40-4' } },
    refusals: { 404: 'NotFound' },
  })
  @Get(':package/:version')
  one(
    @Param('package') name: string,
    @Param('version') version: string,
    @Sent() query: TriggerQuery,
    @CurrentReader() reader: ApiReader,
  ): ReturnType<TriggerService['object']> {
    const { before, limit = TESTS_PER_PAGE } = query;
    const page = { before: before ?? null, limit };
    return this.triggers.object(`${name}/${version}`, reader.runs, selectionOf(query), page);
  }

  @Operation({
    tag: 'Requests',
    id: 'changeTestsOfTrigger',
    summary: 'Retry, cancel or refresh many tests of a trigger',
    description:
      '`retry` repeats runs, `cancel` ends them, `refresh` asks for a new `migration-reference/0` run of each place. Each run is treated as it would be alone: what this key may not do to one is listed in `refused`, and the others go on.',
    answer: {
      description: 'What was done, or would be, and what not.',
      of: ManyRunsAnswerResource,
      example: {
        trigger: 'glibc/2.40-4',
        action: 'retry',
        is_dry_run: true,
        runs: [{ run_id: 12, package: 'hello', suite: 'trixie', arch: 'armhf', new_run_id: null }],
        refused: [],
        left: 0,
        estimate: { seconds: 300, without: 0 },
      },
    },
    path: {
      package: { of: text(), example: 'glibc' },
      version: { of: text(), example: '2.40-4' },
      action: { of: words(['retry', 'refresh', 'cancel']), example: 'retry' },
    },
    body: {
      form: { group: 'regression,unknown' },
      json: { group: ['regression'], arch: 'armhf', dry_run: true },
    },
    refusals: { 404: 'NotFound' },
  })
  @Post(':package/:version/:action')
  @HttpCode(200)
  async act(
    @Param('package') name: string,
    @Param('version') version: string,
    @Param('action', ACTION_IN_PATH) action: TriggerAction,
    @Sent() body: TriggerRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<ManyRunsAnswerResource> {
    if (!body.group && !body.run_ids)
      throw badRequest('group or run_ids is needed to say which tests are meant.');
    const trigger = `${name}/${version}`;
    const selection = selectionOf(body);
    const { tests } = await this.triggers.progress(trigger, readerOf(requestor));
    if (body.dry_run)
      return previewObject(trigger, action, await this.actions.preview(action, tests, selection, requestor));
    const outcome = await this.actions.execute(action, tests, selection, requestor, body.reason);
    return outcomeObject(trigger, action, outcome);
  }
}
