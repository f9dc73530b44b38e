import { Inject, Injectable } from '@nestjs/common';
import { afterChange, Cancellations, Results } from '@proctor/database';
import type { Requestor } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { owns } from '../auth/requestor';
import { OrderSignal } from '../dispatchers/order-signal';
import { Problem } from '../http/problem';
import { ResultLongPoll } from './result-long-poll';
import { noSuchRun } from './run-id';
import { resultObject } from './result-object';
import type { ResultObject } from './result-object';

@Injectable()
export class CancellationService {
  constructor(
    private readonly results: Results,
    private readonly cancellations: Cancellations,
    private readonly signal: OrderSignal,
    private readonly longPoll: ResultLongPoll,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * Finishes a run at once in the database; its slot is stopped by the dispatcher. An administrator may end any run.
   * @throws Problem 404 for a run that is unknown or another key's private one, 403 for another key's public one, 409
   *   for one that has finished
   */
  async cancel(runId: number, requestor: Requestor): Promise<ResultObject> {
    const run = await this.results.find(runId);
    const isOwn = run !== null && owns(requestor, run);
    if (!run || (run.isPrivate && !isOwn && !requestor.isAdmin)) throw noSuchRun(runId);
    if (!isOwn && !requestor.isAdmin) {
      throw new Problem(403, `Run ${runId} was requested with another key; only that key may cancel it.`);
    }
    const outcome = await this.cancellations.cancel(runId, requestor);
    if (outcome === 'finished') throw new Problem(409, `Run ${runId} has finished; it cannot be cancelled.`);
    const cancelled = await this.results.find(runId).catch(afterChange);
    if (outcome === 'unknown' || !cancelled) throw noSuchRun(runId);
    this.signal.send(cancelled.arch);
    this.longPoll.notify();
    return resultObject(cancelled, this.configuration.server.neutral);
  }
}
