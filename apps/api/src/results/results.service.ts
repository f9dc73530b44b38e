import { Inject, Injectable } from '@nestjs/common';
import { Results } from '@proctor/database';
import type { Requestor } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { ExplanationService } from '../dispatchers/explanation.service';
import { noSuchRun } from './numbers';
import { resultObject } from './result-object';
import type { ResultObject } from './result-object';

@Injectable()
export class ResultsService {
  constructor(
    private readonly results: Results,
    private readonly explanation: ExplanationService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * One run, with `reasons` while it waits.
   * @throws Problem 404 also for a private run of another key
   */
  async one(runId: number, requestor: Requestor): Promise<ResultObject & { reasons?: string[] }> {
    const run = await this.results.find(runId);
    if (!run || (run.isPrivate && run.keyId !== requestor.keyId)) throw noSuchRun(runId);
    const result = resultObject(run, this.configuration.server.neutral);
    return run.state === 'queued' ? { ...result, reasons: await this.explanation.reasons(run) } : result;
  }
}
