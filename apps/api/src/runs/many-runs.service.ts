import { Injectable } from '@nestjs/common';
import { ManyRuns } from '@proctor/administration';
import type { Requestor, SelectedCount } from '@proctor/database';
import { Problem } from '../http/problem';
import type { PriorityRequest, SelectionRequest } from './changes.dto';

/** What a dry run answers: how many runs would be changed. */
export interface Preview {
  runs: number;
  queues: SelectedCount[];
}

function previewOf(queues: SelectedCount[]): Preview {
  const runs = queues.reduce((sum, { waiting, executed }) => sum + waiting + executed, 0);
  return { runs, queues };
}

/**
 * Changes all runs that a request selects. Runs that its requestor may not change are neither touched nor counted nor
 * named.
 */
@Injectable()
export class ManyRunsService {
  constructor(private readonly manyRuns: ManyRuns) {}

  /** @throws InvalidRequest, Problem 403: nothing was cancelled; BrokenOff */
  async cancel(request: SelectionRequest, requestor: Requestor): Promise<{ cancelled: number[] } | Preview> {
    const keyId = keyOf(request, requestor);
    if (request.dry_run) return previewOf(await this.manyRuns.previewOfCancel(request, keyId));
    return { cancelled: await this.manyRuns.cancel(request, requestor, keyId) };
  }

  /** @throws InvalidRequest, Problem 403: nothing was changed; BrokenOff */
  async reprioritise(
    request: PriorityRequest,
    requestor: Requestor,
  ): Promise<{ changed: number[] } | Preview> {
    const [{ priority }, keyId] = [request, keyOf(request, requestor)];
    if (request.dry_run)
      return previewOf(await this.manyRuns.previewOfReprioritise(request, priority, keyId));
    return { changed: await this.manyRuns.reprioritise(request, priority, requestor, keyId) };
  }
}

/**
 * The key whose runs are meant; null: all.
 * @throws Problem 403 for everyone's without being an administrator
 */
function keyOf({ everyone }: SelectionRequest, { isAdmin, keyId }: Requestor): number | null {
  if (!everyone) return keyId;
  if (isAdmin) return null;
  throw new Problem(403, 'everyone is for administrators; without it, runs of the own key are meant.');
}
