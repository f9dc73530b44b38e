import { Injectable } from '@nestjs/common';
import { ManyRuns } from '@proctor/administration';
import type { Requestor, SelectedCount } from '@proctor/database';
import { Problem } from '../http/problem';
import type { PriorityRequest, SelectionRequest } from './changes.dto';

/** The answer of a dry run: how many runs would change. */
export interface Preview {
  runs: number;
  queues: SelectedCount[];
}

function previewOf(queues: SelectedCount[]): Preview {
  const runs = queues.reduce((sum, { waiting, executed }) => sum + waiting + executed, 0);
  return { runs, queues };
}

/**
 * Changes all runs that a request selects. It neither changes, counts nor names runs that the requestor may not
 * change.
 */
@Injectable()
export class ManyRunsService {
  constructor(private readonly manyRuns: ManyRuns) {}

  /** @throws InvalidRequest or Problem 403 if nothing was cancelled; BrokenOff after a part */
  async cancel(request: SelectionRequest, requestor: Requestor): Promise<{ cancelled: number[] } | Preview> {
    const keyId = keyOf(request, requestor);
    if (request.dry_run) return previewOf(await this.manyRuns.previewOfCancel(request, keyId));
    return { cancelled: await this.manyRuns.cancel(request, requestor, keyId) };
  }

  /** @throws InvalidRequest or Problem 403 if nothing was changed; BrokenOff after a part */
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

/** The key whose runs are selected; null: all keys. @throws Problem 403 if all are selected by no administrator */
function keyOf({ everyone }: SelectionRequest, { isAdmin, keyId }: Requestor): number | null {
  if (!everyone) return keyId;
  if (isAdmin) return null;
  throw new Problem(403, 'everyone is for administrators; without it, runs of the own key are meant.');
}
