import {
  PackageResource,
  QueueResource,
  REJECT_LIST,
  OptionalField,
  listOf,
  sentAs,
  text,
} from '@proctor/resources';
import { Operation } from '../http/operation';
import { describe, isStorable } from '@proctor/contracts';
import { Controller, Get, Inject, UseInterceptors } from '@nestjs/common';
import type { RejectList } from '@proctor/config';
import { Packages } from '@proctor/database';
import type { KnownPackage } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import type { Parameter } from '../http/parameters';
import { badRequestAt } from '../http/problem';
import { From } from '../http/shape';
import { QueuesService } from './queues.service';

class PackagesQuery {
  @OptionalField(
    sentAs<string[]>(text({ example: 'qemu', allowEmptyValue: true })),
    'Only packages with this backend; when empty, only those without one. `backend[]` may be given several times.',
  )
  @From({ read: backendsOf, alias: 'backend[]' })
  backend?: string[];
}

const BACKENDS_MAX = 50;

function backendsOf({ value, pointer }: Parameter): string[] {
  const backends: unknown[] = [value].flat();
  if (backends.length > BACKENDS_MAX)
    throw badRequestAt(`backend must be at most ${BACKENDS_MAX} names, not ${backends.length}.`, pointer);
  const odd = backends.find((each) => typeof each !== 'string' || !isStorable(each));
  if (odd === undefined) return backends as string[];
  throw badRequestAt(`backend must be the name of a backend, not ${describe(odd)}.`, pointer);
}

/** Queues, workers, packages and the reject list. */
@Controller('api/v1')
@Requires('key')
export class QueuesController {
  constructor(
    private readonly queues: QueuesService,
    private readonly packages: Packages,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Operation({
    tag: 'Service',
    id: 'listQueues',
    summary: 'What waits, and for how long',
    description: [
      'For everybody, without a key: `/data/v1/queues`.',
      'One entry for each suite and architecture. Private runs count for administrators alone, and hold up the others without a word.',
    ].join('\n\n'),
    answer: {
      description: 'The queues, by suite and architecture.',
      of: listOf(QueueResource),
      example: [
        {
          suite: 'trixie',
          arch: 'amd64',
          waiting: 120,
          running: 8,
          oldest_at: '2026-11-20T15:40:51.123Z',
          rate_per_hour: 240,
          wait_seconds: 95,
          estimate_seconds: 1800,
          paused: null,
          reasons: ['all 8 slots are busy'],
        },
        {
          suite: 'sid',
          arch: 'amd64',
          waiting: 3,
          running: 0,
          oldest_at: '2026-11-20T15:40:51.123Z',
          rate_per_hour: 0,
          wait_seconds: null,
          estimate_seconds: null,
          paused: { by: 'admin', reason: 'The mirror is away.', since: '2026-11-20T15:39:00.000Z' },
          reasons: ['paused by admin: The mirror is away. (since 2026-11-20T15:39:00.000Z)'],
        },
      ],
    },
  })
  @Get('queues')
  listQueues(@CurrentReader() { isAdmin }: ApiReader): Promise<QueueResource[]> {
    return this.queues.list(isAdmin);
  }

  @Operation({
    tag: 'Service',
    id: 'listPackages',
    summary: 'Packages that the service knows',
    description: [
      'For everybody, without a key: `/data/v1/packages`.',
      'A package that only private runs made known is listed for the key that asked for one of them.',
    ].join('\n\n'),
    answer: {
      description: 'The packages, by name.',
      of: listOf(PackageResource),
      example: [{ id: 7, name: 'hello', backend: null, removed: false }],
    },
  })
  @Get('packages')
  @UseInterceptors(BodyInterceptor)
  listPackages(
    @Sent() { backend }: PackagesQuery,
    @CurrentReader() { requestor }: ApiReader,
  ): Promise<KnownPackage[]> {
    return this.packages.list(backend, requestor?.keyId ?? null);
  }

  @Operation({
    tag: 'Service',
    id: 'readRejectList',
    summary: 'Packages that are not tested',
    description:
      'Package, then suite, then architecture, then version; `*` stands for all. An entry with a version blocks once the version is known: such a run ends as `fail` before its first test.',
    answer: {
      description: 'The reject list.',
      of: REJECT_LIST,
      example: {
        'breaks-the-machine': { '*': { '*': { '*': '' } } },
        hello: { trixie: { arm64: { '2.10-3': '' } } },
      },
    },
  })
  @Get('reject_list')
  rejectList(): RejectList {
    return this.configuration.rejectList;
  }
}
