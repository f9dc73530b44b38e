import { Inject, Injectable } from '@nestjs/common';
import type { RunRecord } from '@proctor/database';
import { ResultStore } from '@proctor/store';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { ExplanationService } from '../dispatchers/explanation.service';
import { logTail } from './log-tail';
import type { LogTail } from './log-tail';
import { runView } from './run-view';

const LOG_LINES_SHOWN_MAX = 500;

/** Gathers what the page of one run shows. */
@Injectable()
export class RunPageService {
  constructor(
    private readonly explanation: ExplanationService,
    private readonly store: ResultStore,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  async view(run: RunRecord) {
    return {
      run: runView(run, this.configuration.server.neutral),
      reasons: run.state === 'queued' ? await this.explanation.reasons(run) : [],
      log: await this.log(run),
    };
  }

  private async log(run: RunRecord): Promise<LogTail | null> {
    if (run.state !== 'finished' || run.logSize === null) return null;
    const stored = await this.store.open(run.runId, run.attempt, 'log.gz');
    return stored && logTail(stored.content, LOG_LINES_SHOWN_MAX);
  }
}
