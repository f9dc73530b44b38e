import type { ResultResource } from '@proctor/resources';
import { Inject, Injectable } from '@nestjs/common';
import { afterChange, Cancellations } from '@proctor/database';
import type { Requestor } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { mayEnd, readerOf } from '../auth/run-reader';
import { OrderSignal } from '../dispatchers/order-signal';
import { Problem } from '../http/problem';
import { ResultLongPoll } from './result-long-poll';
import { resultObject } from './result-object';
import { VisibleRuns } from './visible-runs';

@Injectable()
export class CancellationService {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly cancellations: Cancellations,
    private readonly signal: OrderSignal,
    private readonly longPoll: ResultLongPoll,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * Finishes a run in the database at once; the dispatcher stops its slot. An administrator may end any run.
   * @throws Problem 404 for an unknown run or a private one of another key; 410 for a removed run; 403 for a public
   * run of another key; 409 if it has finished
   */
  async cancel(runId: number, requestor: Requestor): Promise<ResultResource> {
    const reader = readerOf(requestor);
    if (!mayEnd(reader, await this.runs.one(runId, reader))) {
      throw new Problem(403, `Run ${runId} was requested with another key; only that key may cancel it.`);
    }
    const outcome = await this.cancellations.cancel(runId, requestor);
    if (outcome === 'finished') throw new Problem(409, `Run ${runId} has finished; it cannot be cancelled.`);
    if (outcome === 'unknown') throw await this.runs.absence(runId, reader);
    const cancelled = await this.runs.one(runId, reader).catch(afterChange);
    this.signal.send(cancelled.arch);
    this.longPoll.notify();
    return resultObject(cancelled, this.configuration.server.neutral);
  }
}
