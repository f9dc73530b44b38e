import { NAME_OF_WORKER, WorkerDetails, WorkerList } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, Param } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import { WorkersService } from './workers.service';
import { WORKER_IN_PATH } from '../http/path-ids';

/** Workers and their attempts; administrators also see private runs. */
@Controller('api/v1/workers')
@Requires('key')
export class WorkersController {
  constructor(private readonly workers: WorkersService) {}

  @Operation({
    tag: 'Service',
    id: 'listWorkers',
    summary: 'List the workers',
    description: [
      'For everybody, without a key: `/data/v1/workers`.',
      'The workers of every architecture, as its dispatcher sees them now. An architecture whose dispatcher does not answer is named.',
    ].join('\n\n'),
    answer: {
      description: 'The workers.',
      of: WorkerList,
      example: {
        workers: [
          {
            name: 'worker1',
            arch: 'amd64',
            slots: 8,
            busy: 2,
            standing: 'sound',
            reason: null,
            until: null,
            drained: { by: 'admin', reason: 'New disks.', since: '2026-11-20T15:39:00.000Z' },
            problem: null,
            version: '0.1.0',
            protocol: 2,
            testbeds: [{ suite: 'trixie', backend: 'unshare', state: 'ready' }],
            variants: ['autopkgtest'],
            size_classes: ['big'],
          },
        ],
        silent_architectures: ['arm64'],
      },
    },
  })
  @Get()
  list(@CurrentReader() { isAdmin }: ApiReader): Promise<WorkerList> {
    return this.workers.list(isAdmin);
  }

  @Operation({
    tag: 'Service',
    id: 'getWorker',
    summary: 'One worker',
    description: [
      'For everybody, without a key: `/data/v1/workers/{name}`.',
      'What it offers, executes and has ended, why it gets no work, and whether it goes wrong there oftener than elsewhere. Private runs are shown to administrators alone.',
    ].join('\n\n'),
    answer: {
      description: 'The worker.',
      of: WorkerDetails,
      example: {
        name: 'worker1',
        registered: {
          architectures: ['amd64'],
          since: '2026-11-20T15:39:00.000Z',
          last_seen_at: '2026-11-20T15:40:51.123Z',
          revoked_at: null,
          last_refusal: null,
        },
        offers: [],
        silent_architectures: [],
        idle_reasons: ['it is not connected'],
        running: [],
        attempts: [
          {
            run_id: 12,
            attempt: 1,
            package: 'hello',
            suite: 'trixie',
            arch: 'amd64',
            outcome: 'finished',
            status: 'fail',
            verdict: 'fail',
            reason: null,
            started_at: '2026-11-20T15:39:21.123Z',
            ended_at: '2026-11-20T15:40:51.123Z',
            page_url: '/runs/12',
          },
        ],
        comparison: {
          attempts: 40,
          failed: 9,
          expected_failed: 4.2,
          without_result: 0,
          expected_without_result: 0.5,
        },
      },
    },
    path: { name: { of: NAME_OF_WORKER, example: 'worker1' } },
    refusals: { 404: { description: 'There is no such worker.', detail: 'There is no worker w17.' } },
  })
  @Get(':name')
  worker(
    @Param('name', WORKER_IN_PATH) name: string,
    @CurrentReader() { isAdmin }: ApiReader,
  ): Promise<WorkerDetails> {
    return this.workers.details(name, isAdmin);
  }
}
