import { Inject, Injectable } from '@nestjs/common';
import { PublicRuns } from '@proctor/database';
import type { RunRecord } from '@proctor/database';
import { ResultStore } from '@proctor/store';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { ExplanationService } from '../dispatchers/explanation.service';
import { logTail } from './log-tail';
import type { ShownLog } from './log-tail';
import { runView } from './run-view';
import { factView, testView, waitView } from './story-view';

const LOG_LINES_SHOWN_MAX = 500;

/** Gathers what the page of one run shows. */
@Injectable()
export class RunPageService {
  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly explanation: ExplanationService,
    private readonly store: ResultStore,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  async view(run: RunRecord) {
    const { neutral } = this.configuration.server;
    const [facts, tests, explanation, log] = await Promise.all([
      this.publicRuns.storyOf(run.runId),
      this.publicRuns.testsOf(run.runId),
      run.state === 'queued' ? this.explanation.of(run) : null,
      this.log(run),
    ]);
    return {
      run: runView(run, neutral),
      wait: explanation && waitView(explanation),
      tests: tests.map(testView),
      story: facts.map((fact) => factView(fact, neutral)),
      log,
    };
  }

  private async log(run: RunRecord): Promise<ShownLog | null> {
    if (run.state !== 'finished' || run.logSize === null) return null;
    const stored = await this.store.open(run.runId, run.attempt, 'log.gz');
    return stored && logTail(stored.content, LOG_LINES_SHOWN_MAX);
  }
}
