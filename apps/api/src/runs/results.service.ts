import { Inject, Injectable } from '@nestjs/common';
import { Facts, Results } from '@proctor/database';
import type { RunRecord } from '@proctor/database';
import type { ApiReader } from '../auth/requestor';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { ExplanationService } from '../dispatchers/explanation.service';
import type { ExplanationViewer } from '../dispatchers/explanation.service';
import { noSuchRun } from './run-id';
import { resultObject } from './result-object';
import { emptyList, resultList } from './result-stream';
import { factObject, testObject, waitingObject } from './run-object';
import type { RunObject } from './run-object';

@Injectable()
export class ResultsService {
  constructor(
    private readonly results: Results,
    private readonly facts: Facts,
    private readonly explanation: ExplanationService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** What is new for a key since a time, as the text of the answer. */
  async list(keyId: number, sinceSeconds: number): Promise<string | AsyncIterable<string>> {
    const { neutral } = this.configuration.server;
    const { until, pages } = await this.results.since(keyId, sinceSeconds, neutral);
    return pages ? resultList(until, pages) : emptyList(until);
  }

  /**
   * One run with its tests and its story; while it waits, with why and for how long.
   * @throws Problem 404 also for a private run of another key
   */
  async one(runId: number, reader: ApiReader): Promise<RunObject> {
    const run = await this.results.find(runId);
    if (!run || (run.isPrivate && !reader.isOwner(run))) throw noSuchRun(runId);
    const [facts, tests, explanation] = await Promise.all([
      this.facts.ofRun(runId, reader.requestor?.keyId ?? null),
      this.results.testsOf(runId),
      run.state === 'queued' ? this.explanation.of(run, viewerOf(run, reader)) : null,
    ]);
    return {
      ...resultObject(run, this.configuration.server.neutral),
      ...(explanation && waitingObject(explanation)),
      tests: tests.map(testObject),
      facts: facts.map(factObject),
    };
  }
}

/** Another key of the same user sees no more than the public. */
function viewerOf(run: RunRecord, reader: ApiReader): ExplanationViewer {
  if (reader.isAdmin) return { everything: true };
  return reader.isOwner(run) ? { user: reader.requestor!.userName } : {};
}
