import { Controller, Get, Query, Req, UseInterceptors } from '@nestjs/common';
import type { Actor, User } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { ignore } from '../../http/ignored-parameters';
import type { ContextRequest } from '../../http/request-context';
import { type ConfirmedAction, Form } from '../layout/form-action';
import { FormPage } from '../layout/form-page';
import type { Page, Redirect } from '../layout/page';
import { PAGE_NUMBER } from '../layout/page-number';
import { CurrentActor, CurrentUser, OwnPages } from './account-pages';
import { JobActionsService } from './job-actions.service';
import { JobFilterPipe, ListedRunsPipe, SelectedRunsPipe } from './job-filter';
import type { JobFilter } from './job-filter';
import { JobsService } from './jobs.service';
import type { JobsObject } from './jobs.service';

/** The list of the runs of a user, with private runs, and the actions on several runs. */
@Controller('user/:user')
@Requires('nothing')
@OwnPages()
export class JobsController {
  constructor(
    private readonly jobs: JobsService,
    private readonly actions: JobActionsService,
  ) {}

  @Get('jobs')
  async page(
    @Query(JobFilterPipe) filter: JobFilter,
    @Query('page', PAGE_NUMBER) page: number | null,
    @CurrentUser() user: User,
    @Req() request: ContextRequest,
  ): Promise<Page | Redirect> {
    const url = page === null ? null : await this.jobs.numberedUrl(user, filter, page);
    if (url !== null) return { redirectTo: url };
    ignore(request, 'page');
    return this.jobs.page(user, filter);
  }

  /** The question by its address. */
  @Get('test/publish')
  @UseInterceptors(BodyInterceptor)
  async confirm(@Sent(ListedRunsPipe) runIds: number[], @CurrentUser() user: User): Promise<Page> {
    return (await this.actions.prepare(user, 'publish', runIds, null)).question();
  }

  @Form('test/publish')
  publish(
    @Sent(SelectedRunsPipe) runIds: number[],
    @CurrentUser() user: User,
    @CurrentActor() { address }: Actor,
    @FormPage() formPage: string | null,
  ): Promise<ConfirmedAction> {
    return this.actions.prepare(user, 'publish', runIds, formPage, address);
  }

  @Form('jobs/cancel')
  cancel(
    @Sent(SelectedRunsPipe) runIds: number[],
    @CurrentUser() user: User,
    @CurrentActor() { address }: Actor,
    @FormPage() formPage: string | null,
  ): Promise<ConfirmedAction> {
    return this.actions.prepare(user, 'cancel', runIds, formPage, address);
  }

  @Form('jobs/retry')
  retry(
    @Sent(SelectedRunsPipe) runIds: number[],
    @CurrentUser() user: User,
    @CurrentActor() { address }: Actor,
    @FormPage() formPage: string | null,
  ): Promise<ConfirmedAction> {
    return this.actions.prepare(user, 'retry', runIds, formPage, address);
  }
}

/** The list as JSON. */
@Controller('user/:user')
@Requires('nothing')
@OwnPages({ isData: true })
export class JobsDataController {
  constructor(private readonly jobs: JobsService) {}

  @Get('jobs.json')
  list(@Query(JobFilterPipe) filter: JobFilter, @CurrentUser() user: User): Promise<JobsObject> {
    return this.jobs.object(user, filter);
  }
}
