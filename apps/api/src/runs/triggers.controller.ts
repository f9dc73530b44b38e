import { Controller, Get, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import type { Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader, CurrentRequestor } from '../auth/requestor';
import { readerOf } from '../auth/run-reader';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { badRequest, notFound } from '../http/problem';
import { outcomeObject, previewObject, type TriggerActionObject } from './trigger-action-object';
import { TriggerActions } from './trigger-actions.service';
import { TRIGGER_ACTIONS, type TriggerAction } from './trigger-plan';
import { TriggerService } from './trigger.service';
import {
  selectionOf,
  TESTS_PER_PAGE,
  TriggerListQuery,
  TriggerQuery,
  TriggerRequest,
  TRIGGERS_PER_PAGE,
} from './triggers.dto';

/** What is to be done to tests of a trigger, in a path. */
export class TriggerActionPipe implements PipeTransform<string, TriggerAction> {
  /** @throws Problem 404 */
  transform(text: string): TriggerAction {
    const action = TRIGGER_ACTIONS.find((each) => each === text);
    if (action) return action;
    throw notFound(`Tests of a trigger can have ${TRIGGER_ACTIONS.join(', ')}, not ${describe(text)}.`);
  }
}

/** What new versions of packages have triggered, and what is done to all of it at once. */
@Controller('api/v1/triggers')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class TriggerApiController {
  constructor(
    private readonly triggers: TriggerService,
    private readonly actions: TriggerActions,
  ) {}

  @Get()
  list(
    @Sent() { query = '', before, limit = TRIGGERS_PER_PAGE }: TriggerListQuery,
  ): ReturnType<TriggerService['list']> {
    return this.triggers.list(query, limit, before ?? null);
  }

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

  @Post(':package/:version/:action')
  @HttpCode(200)
  async act(
    @Param('package') name: string,
    @Param('version') version: string,
    @Param('action', TriggerActionPipe) action: TriggerAction,
    @Sent() asked: TriggerRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<TriggerActionObject> {
    if (!asked.group && !asked.run_ids)
      throw badRequest('group or run_ids is needed to say which tests are meant.');
    const trigger = `${name}/${version}`;
    const selection = selectionOf(asked);
    const { tests } = await this.triggers.progress(trigger, readerOf(requestor));
    if (asked.dry_run)
      return previewObject(trigger, action, await this.actions.preview(action, tests, selection, requestor));
    const outcome = await this.actions.execute(action, tests, selection, requestor, asked.reason);
    return outcomeObject(trigger, action, outcome);
  }
}
