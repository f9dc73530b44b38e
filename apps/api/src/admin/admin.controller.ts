import {
  DecisionList,
  DrainRequest,
  NewDrain,
  NewPause,
  PauseRequest,
  PauseScopeResource,
  QuarantineResource,
  QuarantineRequest,
  RestoreRequest,
  ResumeRequest,
  TrustResource,
  UndrainedWorker,
} from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { QueuesAndWorkers } from '@proctor/administration';
import type { Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard, CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { From } from '../http/shape';

/** Accepts the deadline also as text: forms and the query have no numbers. */
class AskedDrain extends DrainRequest {
  @From({ read: ({ value, isText }) => (isText && /^\d{1,9}$/.test(String(value)) ? Number(value) : value) })
  declare deadline_seconds?: number;
}

/** What administrators decide about queues and workers. */
@Controller('api/v1/admin')
@Requires('key')
@UseGuards(AdministratorsGuard)
@UseInterceptors(BodyInterceptor)
export class AdminController {
  constructor(private readonly queuesAndWorkers: QueuesAndWorkers) {}

  @Operation({
    tag: 'Administration',
    id: 'listDecisions',
    summary: 'What is paused and drained',
    answer: {
      description: 'The decisions that hold, the oldest first.',
      of: DecisionList,
      example: {
        pauses: [
          {
            suite: 'sid',
            arch: null,
            by: 'admin',
            reason: 'The mirror is away.',
            since: '2026-11-20T15:39:00.000Z',
          },
        ],
        drains: [
          {
            worker: 'worker1',
            by: 'admin',
            reason: 'New disks.',
            since: '2026-11-20T15:39:00.000Z',
            deadline: null,
          },
        ],
      },
    },
  })
  @Get('decisions')
  decisions(): Promise<DecisionList> {
    return this.queuesAndWorkers.list();
  }

  @Operation({
    tag: 'Administration',
    id: 'pauseQueues',
    summary: 'Pause queues',
    description:
      'No further tests of a suite, of an architecture, of both together, or at all are started; running tests go on. `reason` is needed. A second pause of the same suite and architecture replaces user and reason.',
    answer: {
      description: 'It is paused.',
      of: NewPause,
      example: { suite: 'sid', arch: 'amd64', by: 'admin', reason: 'The mirror is away.' },
    },
    inQuery: true,
    body: {
      form: { suite: 'sid', reason: 'The mirror is away.' },
      json: { suite: 'sid', arch: 'amd64', reason: 'The mirror is away.' },
    },
  })
  @Post('pause')
  @HttpCode(200)
  pause(@Sent() request: PauseRequest, @CurrentRequestor() requestor: Requestor): Promise<NewPause> {
    return this.queuesAndWorkers.pause(request, requestor);
  }

  @Operation({
    tag: 'Administration',
    id: 'resumeQueues',
    summary: 'End a pause',
    description: 'Ends the pause with exactly this suite and architecture; other pauses stay.',
    answer: { description: 'It goes on.', of: PauseScopeResource, example: { suite: 'sid', arch: 'amd64' } },
    inQuery: true,
    body: { form: { suite: 'sid' }, json: { suite: 'sid', arch: 'amd64' } },
    refusals: {
      404: {
        description: 'There is no pause with exactly this suite and architecture.',
        detail: 'Queue sid/amd64 is not paused.',
      },
    },
  })
  @Post('resume')
  @HttpCode(200)
  resume(
    @Sent() request: ResumeRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<PauseScopeResource> {
    return this.queuesAndWorkers.resume(request, requestor);
  }

  @Operation({
    tag: 'Administration',
    id: 'drainWorker',
    summary: 'Drain a worker',
    description:
      'The worker finishes its runs and gets no new ones, whether it is connected now or not. `reason` is needed. After `deadline_seconds` it hands back the runs that it still executes: they wait again, without a failed attempt. Draining it again replaces user, reason and deadline.',
    answer: {
      description: 'It is drained.',
      of: NewDrain,
      example: { worker: 'worker1', by: 'admin', reason: 'New disks.' },
    },
    inQuery: true,
    body: { example: { worker: 'worker1', reason: 'New disks.' } },
  })
  @Post('drain')
  @HttpCode(200)
  drain(@Sent() request: AskedDrain, @CurrentRequestor() requestor: Requestor): Promise<NewDrain> {
    return this.queuesAndWorkers.drain(request, requestor);
  }

  @Operation({
    tag: 'Administration',
    id: 'undrainWorker',
    summary: 'Give a worker runs again',
    description: 'It takes part again.',
    answer: {
      description: 'It is no longer drained.',
      of: UndrainedWorker,
      example: { worker: 'worker1' },
    },
    inQuery: true,
    body: { example: { worker: 'worker1' } },
    refusals: {
      404: { description: 'The worker is not drained.', detail: 'Worker worker1 is not drained.' },
    },
  })
  @Post('undrain')
  @HttpCode(200)
  undrain(
    @Sent() request: RestoreRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<UndrainedWorker> {
    return this.queuesAndWorkers.undrain(request, requestor);
  }

  @Operation({
    tag: 'Administration',
    id: 'quarantineWorker',
    summary: 'Take a worker for unsound',
    description:
      'The worker gets no runs on any of its architectures until a canary test passes on it, `scheduler.blame.quarantineMs` later at the earliest, or until it is trusted. Its present runs go on. `reason` is needed. To keep a worker out for longer, drain it.',
    answer: {
      description: 'It is quarantined there within seconds.',
      of: QuarantineResource,
      example: { worker: 'worker1', architectures: ['amd64'], by: 'admin', reason: 'Its disk is odd.' },
    },
    inQuery: true,
    body: { example: { worker: 'worker1', reason: 'Its disk is odd.' } },
    refusals: {
      404: { description: 'No such worker is registered.', detail: 'No worker worker1 is registered.' },
    },
  })
  @Post('quarantine')
  @HttpCode(200)
  quarantine(
    @Sent() request: QuarantineRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<QuarantineResource> {
    return this.queuesAndWorkers.quarantine(request, requestor);
  }

  @Operation({
    tag: 'Administration',
    id: 'trustWorker',
    summary: 'Take a worker for sound',
    description:
      'Ends the quarantine or the slowing of a worker on every architecture, within seconds; its earlier failures no longer count. User and reason are recorded.',
    answer: {
      description: 'It was not sound there, and will be.',
      of: TrustResource,
      example: { worker: 'worker1', architectures: ['amd64'], by: 'admin', reason: 'New disks.' },
    },
    inQuery: true,
    body: { example: { worker: 'worker1', reason: 'New disks.' } },
    refusals: {
      404: {
        description:
          'No dispatcher has judged such a worker, and none of the latest attempts was executed there.',
        detail: 'No worker worker1 is known.',
      },
      409: { description: 'The worker is sound.', detail: 'Worker worker1 is sound already.' },
    },
  })
  @Post('trust')
  @HttpCode(200)
  trust(@Sent() request: RestoreRequest, @CurrentRequestor() requestor: Requestor): Promise<TrustResource> {
    return this.queuesAndWorkers.trust(request, requestor);
  }
}
