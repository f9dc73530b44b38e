import { Injectable } from '@nestjs/common';
import { ManyRuns } from '@proctor/administration';
import type { Requestor } from '@proctor/database';
import { Problem } from '../http/problem';
import type { PriorityRequest, SelectionRequest } from './changes.dto';

/**
 * Changes all runs that a request selects. Runs that its requestor may not change are neither touched nor counted nor
 * named.
 */
@Injectable()
export class ManyRunsService {
  constructor(private readonly manyRuns: ManyRuns) {}

  /** @throws InvalidRequest, Problem 403: nothing was cancelled; BrokenOff */
  async cancel(asked: SelectionRequest, requestor: Requestor): Promise<{ cancelled: number[] }> {
    return { cancelled: await this.manyRuns.cancel(asked, requestor, keyOf(asked, requestor)) };
  }

  /** @throws InvalidRequest, Problem 403: nothing was changed; BrokenOff */
  async reprioritise(asked: PriorityRequest, requestor: Requestor): Promise<{ changed: number[] }> {
    const { priority } = asked;
    return {
      changed: await this.manyRuns.reprioritise(asked, priority, requestor, keyOf(asked, requestor)),
    };
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
