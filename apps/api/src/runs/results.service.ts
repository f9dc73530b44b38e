import { Inject, Injectable } from '@nestjs/common';
import { Facts, Results } from '@proctor/database';
import type { ApiReader } from '../auth/requestor';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { ExplanationService } from '../dispatchers/explanation.service';
import { resultObject } from './result-object';
import { emptyList, resultList } from './result-stream';
import { factObject, testObject, waitingObject } from './run-object';
import type { RunObject } from './run-object';
import { imageObject } from './testbed-image';
import { explainedTo, VisibleRuns } from './visible-runs';

@Injectable()
export class ResultsService {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly results: Results,
    private readonly facts: Facts,
    private readonly explanation: ExplanationService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The results of a key since a time, as the text of the answer. */
  async list(keyId: number, sinceSeconds: number): Promise<string | AsyncIterable<string>> {
    const { neutral } = this.configuration.server;
    const { until, pages } = await this.results.since(keyId, sinceSeconds, neutral);
    return pages ? resultList(until, pages) : emptyList(until);
  }

  /**
   * One run with its tests and its history; a waiting one with its reasons and expected start.
   * @throws Problem 404 also for a private run of another key, except for administrators
   */
  async one(runId: number, reader: ApiReader): Promise<RunObject> {
    const run = await this.runs.one(runId, reader.runs);
    const [facts, tests, explanation] = await Promise.all([
      this.facts.ofRun(runId, reader.runs),
      this.results.testsOf(runId),
      run.state === 'queued' ? this.explanation.of(run, explainedTo(run, reader.runs)) : null,
    ]);
    return {
      ...resultObject(run, this.configuration.server.neutral),
      ...(explanation && waitingObject(explanation)),
      image: imageObject(run.image),
      tests: tests.map(testObject),
      facts: facts.map(factObject),
    };
  }
}
