import { Controller, Get, HttpCode, Post, Query, Req, UseInterceptors } from '@nestjs/common';
import { Requires } from '../../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { ignore } from '../../http/ignored-parameters';
import type { ContextRequest } from '../../http/request-context';
import { TakesForm } from '../../sessions/form-protection';
import type { Page, Redirect } from '../layout/page';
import { PageNumberPipe } from '../layout/page-number';
import { OwnPages, requireLogin } from './account-pages';
import { JobActionsService } from './job-actions.service';
import { JobFilterPipe, ListedRunsPipe, SelectedRunsPipe } from './job-filter';
import type { JobFilter, SelectedRuns } from './job-filter';
import { JobsService } from './jobs.service';
import type { JobsObject } from './jobs.service';

/** A user's own runs, private ones included, and what can be done to several of them. */
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
    @Query('page', PageNumberPipe) page: number | null,
    @Req() request: ContextRequest,
  ): Promise<Page | Redirect> {
    const user = requireLogin(request);
    const url = page === null ? null : await this.jobs.numberedUrl(user, filter, page);
    if (url !== null) return { redirectTo: url };
    ignore(request, 'page');
    return this.jobs.page(user, filter);
  }

  @Get('test/publish')
  @UseInterceptors(BodyInterceptor)
  confirm(
    @Sent(ListedRunsPipe) listed: SelectedRuns,
    @Req() request: ContextRequest,
  ): Promise<Page | Redirect> {
    return this.actions.act(requireLogin(request), 'publish', listed);
  }

  @Post('test/publish')
  @HttpCode(200)
  @TakesForm()
  publish(
    @Sent(SelectedRunsPipe) selected: SelectedRuns,
    @Req() request: ContextRequest,
  ): Promise<Page | Redirect> {
    return this.actions.act(requireLogin(request), 'publish', selected);
  }

  @Post('jobs/cancel')
  @HttpCode(200)
  @TakesForm()
  cancel(
    @Sent(SelectedRunsPipe) selected: SelectedRuns,
    @Req() request: ContextRequest,
  ): Promise<Page | Redirect> {
    return this.actions.act(requireLogin(request), 'cancel', selected);
  }

  @Post('jobs/retry')
  @HttpCode(200)
  @TakesForm()
  retry(
    @Sent(SelectedRunsPipe) selected: SelectedRuns,
    @Req() request: ContextRequest,
  ): Promise<Page | Redirect> {
    return this.actions.act(requireLogin(request), 'retry', selected);
  }
}

/** The same list for programs. */
@Controller('user/:user')
@Requires('nothing')
@OwnPages({ isData: true })
export class JobsDataController {
  constructor(private readonly jobs: JobsService) {}

  @Get('jobs.json')
  list(@Query(JobFilterPipe) filter: JobFilter, @Req() request: ContextRequest): Promise<JobsObject> {
    return this.jobs.object(requireLogin(request), filter);
  }
}
