import {
  CredentialsRequest,
  NAME_OF_WORKER,
  NewCredentials,
  NewWorker,
  RegisterChangeResource,
  type RegisteredWorkerResource,
  RegisteredWorkerList,
  RevokeRequest,
} from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, Header, HttpCode, Param, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { Register } from '@proctor/administration';
import { timestamp } from '@proctor/contracts';
import type { Requestor, WorkerRecord } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard, CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { From } from '../http/shape';
import { WORKER_IN_PATH } from '../http/path-ids';

const CREDENTIALS_EXAMPLE = {
  worker: 'w17',
  credentials: {
    name: 'w17',
    url: 'tls://nats.example.org:4222',
    seed: 'SU…',
    ca: '-----BEGIN CERTIFICATE-----…',
  },
  notice: null,
};

/** The fields of a new worker in a form. */
class NewWorkerRequest extends NewWorker {
  @From({ text: 'json' })
  declare architectures: string[];

  @From({ text: 'boolean' })
  declare private?: boolean;
}

/** The register of workers. Only the answer that creates credentials has them. */
@Controller('api/v1/admin/workers')
@Requires('key')
@UseGuards(AdministratorsGuard)
@UseInterceptors(BodyInterceptor)
export class RegisterController {
  constructor(private readonly register: Register) {}

  @Operation({
    tag: 'Administration',
    id: 'listRegisteredWorkers',
    summary: 'The register of workers',
    answer: {
      description: 'All workers, also those that were revoked, by name.',
      of: RegisteredWorkerList,
      example: {
        workers: [
          {
            name: 'w17',
            architectures: ['amd64'],
            private: true,
            created_at: '2026-11-20T15:39:00.000Z',
            revoked_at: null,
            last_seen_at: '2026-11-20T15:51:00.000Z',
            last_seen_from: '192.0.2.7',
            refusals: 0,
            last_refusal: null,
            last_refused_at: null,
          },
        ],
      },
    },
  })
  @Get()
  async list(): Promise<RegisteredWorkerList> {
    return { workers: (await this.register.list()).map(workerObject) };
  }

  @Operation({
    tag: 'Administration',
    id: 'addWorker',
    summary: 'Let a machine work',
    description:
      'Answers the content of its credentials file, this once: it is stored nowhere, so an answer that was lost takes a rotation. A name that was revoked may be added again, as a new worker.',
    answer: {
      description: 'The worker is registered, and nats-server lets it in.',
      of: NewCredentials,
      example: CREDENTIALS_EXAMPLE,
    },
    inQuery: true,
    body: {
      form: { name: 'w17', architectures: '["amd64"]', private: true },
      json: { name: 'w17', architectures: ['amd64', 'i386'], private: true, reason: 'New machine.' },
    },
    refusals: {
      409: {
        description:
          'There is a valid worker of that name, or this api cannot change the accounts of nats-server; the answer names the command that can.',
        detail: 'There is already a worker w17.',
      },
    },
  })
  @Post()
  @HttpCode(201)
  @Header('Cache-Control', 'no-store')
  add(@Sent() request: NewWorkerRequest, @CurrentRequestor() requestor: Requestor): Promise<NewCredentials> {
    return this.register.add(request, requestor);
  }

  @Operation({
    tag: 'Administration',
    id: 'rotateWorker',
    summary: 'Give a worker other credentials',
    description:
      'The earlier ones no longer work. Answers with the content of its credentials file, this once.',
    answer: {
      description: 'Its other credentials.',
      of: NewCredentials,
      example: CREDENTIALS_EXAMPLE,
    },
    path: { name: { of: NAME_OF_WORKER } },
    inQuery: true,
    body: { example: { reason: 'A lost disk.' } },
    refusals: {
      404: { description: 'There is no such worker.', detail: 'There is no worker w17.' },
      409: {
        description:
          'The worker is revoked, or this api cannot change the accounts of nats-server; the answer names the command that can.',
        detail: 'Worker w17 is revoked.',
      },
    },
  })
  @Post(':name/rotate')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  rotate(
    @Param('name', WORKER_IN_PATH) worker: string,
    @Sent() request: CredentialsRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<NewCredentials> {
    return this.register.rotate(worker, request, requestor);
  }

  @Operation({
    tag: 'Administration',
    id: 'revokeWorker',
    summary: 'Take a worker out',
    description:
      'What it runs is given to others at once and counts as no failure; nats-server ends its connection. It stays in the register.',
    answer: {
      description: 'It is revoked.',
      of: RegisterChangeResource,
      example: { worker: 'w17', notice: null },
    },
    path: { name: { of: NAME_OF_WORKER } },
    inQuery: true,
    body: { example: { reason: 'Sold.' } },
    refusals: {
      404: { description: 'There is no such worker.', detail: 'There is no worker w17.' },
      409: {
        description:
          'It was revoked before, or this api cannot change the accounts of nats-server; the answer names the command that can.',
        detail: 'Worker w17 is revoked.',
      },
    },
  })
  @Post(':name/revoke')
  @HttpCode(200)
  revoke(
    @Param('name', WORKER_IN_PATH) worker: string,
    @Sent() request: RevokeRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<RegisterChangeResource> {
    return this.register.revoke(worker, request, requestor);
  }
}

function workerObject(worker: WorkerRecord): RegisteredWorkerResource {
  return {
    name: worker.name,
    architectures: worker.architectures,
    private: worker.mayRunPrivate,
    created_at: timestamp(worker.createdAt),
    revoked_at: worker.revokedAt && timestamp(worker.revokedAt),
    last_seen_at: worker.lastSeenAt && timestamp(worker.lastSeenAt),
    last_seen_from: worker.lastSeenFrom,
    refusals: worker.refusals,
    last_refusal: worker.lastRefusal,
    last_refused_at: worker.lastRefusedAt && timestamp(worker.lastRefusedAt),
  };
}
