import { Inject, Injectable } from '@nestjs/common';
import { PublicRuns, Retries } from '@proctor/database';
import type { IdempotencyKey, RetryRefusal, Once, Requestor, RunRecord } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { isOwn, readerOf } from '../auth/run-reader';
import { Problem } from '../http/problem';
import { answerOf } from '../http/idempotency.interceptor';
import { NewRuns } from './submission.service';
import { obstacleTo } from './obstacle';
import { VisibleRuns } from './visible-runs';

/** The body of a 201. */
export interface RetryAnswer {
  run_id: number;
}

/** A run, the number of equal ones that wait already, and why it cannot be retried now. */
interface RetryPreview {
  run: RunRecord;
  equal: number;
  obstacle: string | null;
}

@Injectable()
export class RetryService {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly retries: Retries,
    private readonly publicRuns: PublicRuns,
    private readonly newRuns: NewRuns,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * The facts for the question before a retry.
   * @throws Problem 404 for an unknown run, or one that the requestor may not see; 410 for a removed run
   */
  async preview(runId: number, requestor: Requestor): Promise<RetryPreview> {
    const run = await this.runs.one(runId, readerOf(requestor));
    return {
      run,
      equal: await this.publicRuns.equalWaiting(run, lookingAs(requestor, run).keyId),
      obstacle: run.state === 'finished' ? obstacleTo(run, this.configuration) : 'It has not finished.',
    };
  }

  /**
   * Requests a run again, unchanged and for the user who requested it first.
   * @returns RetryAnswer
   * @throws Problem 404 for an unknown run; 410 for a removed one; 403 if the deployment no longer tests it; 409 if
   * the run, or a retry of it, has not finished
   */
  async retry(runId: number, requestor: Requestor, claim: IdempotencyKey | null): Promise<unknown> {
    const run = await this.runs.one(runId, readerOf(requestor));
    const obstacle = obstacleTo(run, this.configuration);
    if (obstacle !== null) throw new Problem(403, `Run ${runId} cannot be retried: ${obstacle}`);
    const outcome = await this.repeat(runId, lookingAs(requestor, run), claim);
    if (outcome.kind === 'unknown') throw await this.runs.absence(runId, readerOf(requestor));
    if (outcome.kind === 'unfinished' || outcome.kind === 'waiting') throw retryProblem(outcome, runId);
    if (outcome.kind === 'created') this.newRuns.notifyOfRuns([run]);
    return answerOf(outcome);
  }

  private async repeat(
    runId: number,
    requestor: Requestor,
    claim: IdempotencyKey | null,
  ): Promise<Once | RetryRefusal> {
    if (claim) return this.retries.retryOnce(claim, runId, requestor, answer);
    const retried = await this.retries.retry(runId, requestor);
    return retried.kind === 'created' ? { kind: 'created', answer: answer(retried.runId) } : retried;
  }
}

/** All retries of a run have its key, so a reader who may see all of them reads as its owner. */
function lookingAs(requestor: Requestor, run: RunRecord): Requestor {
  const reader = readerOf(requestor);
  return reader.everything || isOwn(reader, run) ? { ...requestor, keyId: run.keyId } : requestor;
}

function answer(runId: number): RetryAnswer {
  return { run_id: runId };
}

function retryProblem(outcome: Exclude<RetryRefusal, { kind: 'unknown' }>, runId: number): Problem {
  if (outcome.kind === 'unfinished') return new Problem(409, `Run ${runId} has not finished.`);
  return new Problem(409, `Run ${outcome.runId}, a retry of run ${runId}, has not finished.`);
}
