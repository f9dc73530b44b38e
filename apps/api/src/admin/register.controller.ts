import {
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  UseGuards,
  UseInterceptors,
  type PipeTransform,
} from '@nestjs/common';
import { CredentialsRequest, NewWorker, Register, RevokeRequest } from '@proctor/administration';
import type { NewCredentials, Registered } from '@proctor/administration';
import { describe, timestamp, WORKER_NAME } from '@proctor/contracts';
import type { Requestor, WorkerRecord } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard, CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { notFound } from '../http/problem';
import { From } from '../http/shape';

/** A worker as the register has it. */
interface RegisteredWorkerObject {
  name: string;
  architectures: string[];
  /** It may run private tests. */
  private: boolean;
  created_at: string;
  /** Null while it is valid. */
  revoked_at: string | null;
  /** Up to a minute late. */
  last_seen_at: string | null;
  /** Address; null where it is not known. */
  last_seen_from: string | null;
  /** Messages of it that no dispatcher took, since it was added. */
  refusals: number;
  last_refusal: string | null;
  last_refused_at: string | null;
}

type OfWorker<Outcome> = Outcome & { worker: string };

/** How the fields of a new worker travel in a form. */
class NewWorkerRequest extends NewWorker {
  @From({ text: 'json' })
  declare architectures: string[];

  @From({ text: 'boolean' })
  declare private?: boolean;
}

/** The name of a worker in a path. */
class WorkerNamePipe implements PipeTransform<string, string> {
  /** @throws Problem 404 */
  transform(text: string): string {
    if (WORKER_NAME.test(text)) return text;
    throw notFound(`There is no worker ${describe(text)}.`);
  }
}

/** Who is a worker. Credentials are in the answer that makes them, and nowhere else. */
@Controller('api/v1/admin/workers')
@Requires('key')
@UseGuards(AdministratorsGuard)
@UseInterceptors(BodyInterceptor)
export class RegisterController {
  constructor(private readonly register: Register) {}

  @Get()
  async list(): Promise<{ workers: RegisteredWorkerObject[] }> {
    return { workers: (await this.register.list()).map(workerObject) };
  }

  @Post()
  @HttpCode(201)
  @Header('Cache-Control', 'no-store')
  async add(
    @Sent() request: NewWorkerRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<OfWorker<NewCredentials>> {
    return { worker: request.name, ...(await this.register.add(request, requestor)) };
  }

  @Post(':name/rotate')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async rotate(
    @Param('name', WorkerNamePipe) worker: string,
    @Sent() request: CredentialsRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<OfWorker<NewCredentials>> {
    return { worker, ...(await this.register.rotate(worker, request, requestor)) };
  }

  @Post(':name/revoke')
  @HttpCode(200)
  async revoke(
    @Param('name', WorkerNamePipe) worker: string,
    @Sent() request: RevokeRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<OfWorker<Registered>> {
    return { worker, ...(await this.register.revoke(worker, request, requestor)) };
  }
}

function workerObject(worker: WorkerRecord): RegisteredWorkerObject {
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
