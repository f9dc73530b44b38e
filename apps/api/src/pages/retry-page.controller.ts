import { Controller, Get, Inject, Param, UseInterceptors } from '@nestjs/common';
import type { Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { CurrentRequestor } from '../auth/requestor';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { RetryService } from '../runs/retry.service';
import { RunIdPipe } from '../runs/run-id';
import { PageInterceptor } from './page';
import type { Page } from './page';
import { runView } from './run-view';

/** The page before a retry. */
@Controller('api/v1/retry/:run_id')
@Requires('key')
@UseInterceptors(PageInterceptor)
export class RetryPageController {
  constructor(
    private readonly retries: RetryService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  async page(
    @Param('run_id', RunIdPipe) runId: number,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<Page> {
    const { run, equal, obstacle } = await this.retries.preview(runId, requestor);
    return {
      template: 'retry',
      data: { run: runView(run, this.configuration.server.neutral), equal, obstacle },
    };
  }
}
