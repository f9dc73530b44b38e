import type { QueueResource } from '@proctor/resources';
import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { EqualRuns, type Requestor } from '@proctor/database';
import type { Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { QueuesService } from '../queues/queues.service';
import type { IgnoredItem, Submission } from './accept';

/** The reader of the answer: it names only duplicates and private runs that this reader may see. */
export type Asker = Pick<Requestor, 'userName' | 'isAdmin' | 'isOnPages'> & Partial<Pick<Requestor, 'keyId'>>;

/** The part of a request that goes to one suite queue, and the queue as it is now. */
type Wait = Pick<
  QueueResource,
  'suite' | 'arch' | 'waiting' | 'running' | 'estimate_seconds' | 'paused' | 'reasons'
> & {
  /** How many runs the request would add to the queue. */
  runs: number;
};

/** The body of the 200 that answers a dry run. */
export interface DryRunAnswer {
  dry_run: true;
  /** The runs that would be queued, in the order of the request. */
  runs: {
    package: string;
    suite: string;
    arch: string;
    /** The run of the same test that waits or is executed already; null if there is none. */
    doubles: number | null;
  }[];
  ignored: IgnoredItem[];
  /** One wait for each suite and architecture of the request. */
  waits: Wait[];
  warnings: string[];
}

/** Describes the effects of a request after its check. */
@Injectable()
export class DryRuns {
  constructor(
    private readonly equalRuns: EqualRuns,
    private readonly queues: QueuesService,
  ) {}

  /** Writes nothing. */
  async of({ runs, ignored, warnings }: Submission, asker: Asker): Promise<DryRunAnswer> {
    const { isAdmin: everything, keyId, userName, isOnPages } = asker;
    const reader = { everything, ...(keyId !== undefined && { keyId }), ...(isOnPages && { userName }) };
    const [doubles, queues] = await Promise.all([
      this.equalRuns.find(runs, reader),
      this.queues.list(everything),
    ]);
    return {
      dry_run: true,
      runs: runs.map(({ package: name, suite, arch }, place) => ({
        package: name,
        suite,
        arch,
        doubles: doubles[place] ?? null,
      })),
      ignored,
      waits: waitsOf(runs, queues),
      warnings,
    };
  }
}

function waitsOf(runs: Submission['runs'], queues: QueueResource[]): Wait[] {
  const counts = new Map<string, number>();
  for (const { suite, arch } of runs)
    counts.set(`${suite}/${arch}`, (counts.get(`${suite}/${arch}`) ?? 0) + 1);
  return queues.flatMap(({ suite, arch, waiting, running, estimate_seconds, paused, reasons }) => {
    const added = counts.get(`${suite}/${arch}`);
    if (added === undefined) return [];
    return [{ suite, arch, runs: added, waiting, running, estimate_seconds, paused, reasons }];
  });
}

/** A dry run creates nothing: its status is 200, and that of a submission 201. */
@Injectable()
export class DryRunInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      tap((answer: object) => {
        if ('dry_run' in answer) response.status(200);
      }),
    );
  }
}
