import { Controller, Get, Inject, Injectable, Param, UseInterceptors } from '@nestjs/common';
import type { Requestor } from '@proctor/database';
import { requestRows } from '@proctor/request-fields';
import { text } from '@proctor/resources';
import { Requires } from '../../auth/authentication.middleware';
import { CurrentRequestor } from '../../auth/requestor';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { type RetryAnswer, RetryService } from '../../runs/retry.service';
import { Problem } from '../../http/problem';
import { changesNotice, type RunsOutcome } from '../layout/changes-notice';
import { FormPage } from '../layout/form-page';
import { Form } from '../layout/form-action';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { runView } from '../runs/run-view';
import { OwnPages, SessionRequestor } from './account-pages';
import { shortRunPath } from '../../runs/page-paths';
import { Operation } from '../../http/operation';
import { RUN_IN_PATH } from '../../http/path-ids';

/** The data of the page before a retry. */
@Injectable()
export class RetryPage {
  constructor(
    private readonly retries: RetryService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @throws Problem 404 when there is no such run; 410 when the run was removed */
  async of(runId: number, requestor: Requestor, formPage: string | null): Promise<Page> {
    const { run, equal, obstacle } = await this.retries.preview(runId, requestor);
    return {
      template: 'account/retry',
      data: {
        run: runView(run, this.configuration.server.neutral),
        requested: requestRows(run),
        equal,
        obstacle,
        backUrl: formPage ?? shortRunPath(runId),
      },
    };
  }
}

/** The page before a retry, at the address to which other sites link. It needs a key or a login. */
@Controller('api/v1/retry/:run_id')
@Requires('key')
@UseInterceptors(PageInterceptor)
export class RetryPageController {
  constructor(private readonly page: RetryPage) {}

  @Operation({
    tag: 'Requests',
    id: 'retryPage',
    summary: 'A page for people that asks before it retries',
    answer: {
      description: 'The run, how many equal ones wait, and a button.',
      of: text(),
      type: 'text/html',
    },
    refusals: { 404: 'NotFound', 410: 'Gone' },
  })
  @Get()
  renderPage(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @CurrentRequestor() requestor: Requestor,
    @FormPage() formPage: string | null,
  ): Promise<Page> {
    return this.page.of(runId, requestor, formPage);
  }
}

/** The page before a retry among a user's own pages, and the action of its button. */
@Controller('user/:user/retry/:run_id')
@Requires('nothing')
@OwnPages()
export class AccountRetryController {
  constructor(
    private readonly page: RetryPage,
    private readonly retries: RetryService,
  ) {}

  @Get()
  renderPage(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @SessionRequestor() requestor: Requestor,
    @FormPage() formPage: string | null,
  ): Promise<Page> {
    return this.page.of(runId, requestor, formPage);
  }

  /** Returns to the page with the button, also when the run cannot be retried: a notice says what happened. */
  @Form('')
  async retry(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @SessionRequestor() requestor: Requestor,
    @FormPage() formPage: string | null,
  ): Promise<Redirect> {
    const outcome: RunsOutcome = { doneIds: [], refusals: [] };
    try {
      const answer = await this.retries.retry(runId, requestor, null);
      outcome.doneIds.push((answer as RetryAnswer).run_id);
    } catch (error) {
      if (!(error instanceof Problem) || ![403, 409].includes(error.status)) throw error;
      outcome.refusals.push({ runId, reason: error.detail });
    }
    const notice = changesNotice('requested again', outcome);
    return { redirectTo: formPage ?? shortRunPath(runId), notice };
  }
}
