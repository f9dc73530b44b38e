import { Injectable } from '@nestjs/common';
import type { RunReader, RunRecord } from '@proctor/database';
import { ExplanationService } from '../../dispatchers/explanation.service';
import { explainedTo } from '../../runs/visible-runs';
import { LogTailService } from '../log/log-tail.service';
import { waitView } from './story-view';

/** Loads what the page of a run shows until the run has ended: why it waits, or the last lines of its log. */
@Injectable()
export class UnfinishedRunService {
  constructor(
    private readonly explanation: ExplanationService,
    private readonly tails: LogTailService,
  ) {}

  async view(run: RunRecord, reader: RunReader, now: Date) {
    const [explanation, tail] = await Promise.all([
      run.state === 'queued' ? this.explanation.of(run, explainedTo(run, reader)) : null,
      this.tails.find(run),
    ]);
    return { wait: explanation && waitView(explanation, now), tail };
  }
}
