import { CANCELLED_RUN } from './run-examples';
import { Operation } from '../http/operation';
import {
  CancelledRunList,
  PublishedRunList,
  ReprioritisedRunList,
  ResultResource,
  SelectionPreview,
  oneOf,
} from '@proctor/resources';
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

/** Changes of earlier requested runs: of one, or of all that match. */
@Controller('api/v1/test')
@Requires('key')
export class ChangesController {
  constructor(
    private readonly cancellation: CancellationService,
    private readonly manyRuns: ManyRunsService,
    private readonly publication: PublicationService,
  ) {}

  @Operation({
    tag: 'Requests',
    id: 'publishRuns',
    summary: 'Publish private runs',
    description:
      'Results, logs and artifacts become public at once. Only private runs of this key change. A publication counts as an update: `GET /api/v1/test` returns the run again.',
    answer: {
      description:
        'What was published; `ignored` are ids of runs that are public already or not yours, or of none.',
      of: PublishedRunList,
      example: { published: [12, 13], ignored: [4711] },
    },
    inQuery: true,
    body: { form: { run_ids: '12,13' }, json: { run_ids: '12,13,4711' } },
  })
  @Post('publish')
  @HttpCode(200)
  @UseInterceptors(BodyInterceptor)
  publish(
    @Sent() { run_ids: runIds }: PublicationRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<PublicationAnswer> {
    return this.publication.publish(runIds, requestor);
  }

  @Operation({
    tag: 'Requests',
    id: 'cancelRuns',
    summary: 'Cancel many runs',
    description:
      'Ends all unfinished runs of this key that match, or none when it is refused. Many runs are ended in steps: a 503 says how many were, and the same request goes on with the rest. Runs of other keys are passed over; with `everyone`, an administrator ends theirs too. Sent again, it changes nothing more.',
    answer: {
      description: 'The runs that were cancelled.',
      of: oneOf(CancelledRunList, SelectionPreview),
      example: { cancelled: [12, 13] },
    },
    inQuery: true,
    body: {
      form: { package: 'hello', trigger: 'glibc/2.40-1' },
      json: { run_ids: [12, 13], reason: 'superseded' },
    },
    refusals: { 403: 'NotEveryones' },
  })
  @Post('cancel')
  @HttpCode(200)
  @UseInterceptors(BodyInterceptor)
  cancelMany(
    @Sent() selection: SelectionRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ cancelled: number[] } | Preview> {
    return this.manyRuns.cancel(selection, requestor);
  }

  @Operation({
    tag: 'Requests',
    id: 'prioritiseRuns',
    summary: 'Give waiting runs another priority',
    description:
      'All waiting runs of this key that match, or none when it is refused, in steps: a 503 says how many were changed, and the same request goes on with the rest; with `everyone`, for administrators, those of other keys too. Runs that are executed stay as they are.',
    answer: {
      description: 'The runs that have another priority now.',
      of: oneOf(ReprioritisedRunList, SelectionPreview),
      example: { changed: [12, 13] },
    },
    inQuery: true,
    body: {
      form: { suite: 'trixie', trigger: 'glibc/2.40-1', priority: '9' },
      json: { run_ids: [12, 13], priority: 9, reason: 'a security update' },
    },
    refusals: { 403: 'NotEveryones' },
  })
  @Post('priority')
  @HttpCode(200)
  @UseInterceptors(BodyInterceptor)
  reprioritise(
    @Sent() selection: PriorityRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ changed: number[] } | Preview> {
    return this.manyRuns.reprioritise(selection, requestor);
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
      examples: { cancelled: CANCELLED_RUN },
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
