import { Inject, Injectable } from '@nestjs/common';
import { type ApiConfiguration, CONFIGURATION } from '../configuration.token';
import { inSlices } from '../http/slices';
import { KnownSources } from '../sources/known-sources';
import { sourceWarnings } from '../sources/source-warnings';
import { accept, type Submission } from './accept';
import { OwnBackends } from './own-backends';
import type { Submitted } from './submitted-items';

/** Decides about a request, and adds warnings for its sender. */
@Injectable()
export class RequestJudge {
  constructor(
    private readonly backends: OwnBackends,
    private readonly sources: KnownSources,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @throws Problem 400 if an item has a fault */
  async judge(submitted: Submitted, userName: string): Promise<Submission> {
    const backends = await this.backends.load();
    const submission = await inSlices(accept(submitted, userName, this.configuration, backends));
    const unknown = await inSlices(sourceWarnings(submission.runs, this.sources));
    return { ...submission, warnings: [...submission.warnings, ...unknown] };
  }
}
