import type { Provider } from '@nestjs/common';
import { KnownSources } from '../sources/known-sources';
import { DryRuns } from './dry-run';
import { OwnBackends } from './own-backends';
import { RequestJudge } from './request-judge';
import { NewRuns, SubmissionService } from './submission.service';

/** What takes requests for tests. */
export const SUBMISSION_PROVIDERS: Provider[] = [
  NewRuns,
  OwnBackends,
  DryRuns,
  KnownSources,
  RequestJudge,
  SubmissionService,
];
