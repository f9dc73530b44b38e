import { Operation } from '../http/operation';
import { ResultResource } from '@proctor/resources';
import { Controller, Delete, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import type { Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { CancellationService } from './cancellation.service';
import { PriorityRequest, PublicationRequest, SelectionRequest } from './changes.dto';
import { ManyRunsService } from './many-runs.service';
import type { Preview } from './many-runs.service';
import { PublicationService } from './publication.service';
import type { PublicationAnswer } from './publication.service';
import { RUN_IN_PATH } from '../http/path-ids';

/** What is done to runs that were requested before: to one, or to all that match. */
@Controller('api/v1/test')
@Requires('key')
export class ChangesController {
  constructor(
    private readonly cancellation: CancellationService,
    private readonly manyRuns: ManyRunsService,
    private readonly publication: PublicationService,
  ) {}

  @Post('publish')
  @HttpCode(200)
  @UseInterceptors(BodyInterceptor)
  publish(
    @Sent() { run_ids: runIds }: PublicationRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<PublicationAnswer> {
    return this.publication.publish(runIds, requestor);
  }

  @Post('cancel')
  @HttpCode(200)
  @UseInterceptors(BodyInterceptor)
  cancelMany(
    @Sent() asked: SelectionRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ cancelled: number[] } | Preview> {
    return this.manyRuns.cancel(asked, requestor);
  }

  @Post('priority')
  @HttpCode(200)
  @UseInterceptors(BodyInterceptor)
  reprioritise(
    @Sent() asked: PriorityRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ changed: number[] } | Preview> {
    return this.manyRuns.reprioritise(asked, requestor);
  }

  @Operation({
    tag: 'Requests',
    id: 'cancelRun',
    summary: 'Cancel a run',
    description:
      'Ends an unfinished run that this key asked for; an administrator may cancel any run. Its status becomes `tmpfail`, and its message names who cancelled it.',
    answer: {
      description: 'The run is cancelled.',
      of: ResultResource,
      examples: { cancelled: 'Cancelled' },
    },
    refusals: {
      403: {
        description: 'The key is not valid, or the run is public and was requested with another key.',
        detail: 'Run 12 was requested with another key; only that key may cancel it.',
      },
      404: 'NotFound',
      409: { description: 'The run has finished.', detail: 'Run 12 has finished; it cannot be cancelled.' },
      410: 'Gone',
    },
  })
  @Delete(':run_id')
  cancel(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<ResultResource> {
    return this.cancellation.cancel(runId, requestor);
  }
}
