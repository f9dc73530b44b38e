import { systemClock } from '@proctor/clock';
import { Results } from '@proctor/database';
import { DispatcherClient } from '../dispatchers/dispatcher-client';
import { Room } from '../http/room';
import { KnownSources } from '../sources/known-sources';
import { AffectedByService } from './affected-by';
import { AffectedByController } from './affected-by.controller';
import { CancellationService } from './cancellation.service';
import { ChangesController } from './changes.controller';
import { ComparisonService } from './comparison.service';
import { DryRuns } from './dry-run';
import { InstalledPackages } from './installed-packages';
import { InstalledController } from './installed.controller';
import { ManyRunsService } from './many-runs.service';
import { MissingRuns } from './missing-runs';
import { OwnBackends } from './own-backends';
import { PublicationService } from './publication.service';
import { RequestJudge } from './request-judge';
import { ResultLongPoll } from './result-long-poll';
import { ResultsController } from './results.controller';
import { ResultsService } from './results.service';
import { RetryService } from './retry.service';
import { RunListController, RunListService } from './run-list.controller';
import { SignaturesController } from './signatures.controller';
import { SignaturesService } from './signatures.service';
import { SubmissionController } from './submission.controller';
import { NewRuns, SubmissionService } from './submission.service';
import { SupersedingService } from './superseding.service';
import { TriageController } from './triage.controller';
import { TriageService } from './triage.service';
import { TriggerActions } from './trigger-actions.service';
import { TriggerService } from './trigger.service';
import { TriggerApiController } from './triggers.controller';
import { VisibleRuns } from './visible-runs';

/** Runs in the API: requests, changes, results and their explanations. */
@Room({
  controllers: [
    ChangesController,
    ResultsController,
    RunListController,
    AffectedByController,
    TriageController,
    InstalledController,
    TriggerApiController,
    SubmissionController,
    SignaturesController,
  ],
  providers: [
    NewRuns,
    OwnBackends,
    DryRuns,
    KnownSources,
    RequestJudge,
    SubmissionService,
    SupersedingService,
    RetryService,
    CancellationService,
    PublicationService,
    ManyRunsService,
    VisibleRuns,
    MissingRuns,
    ResultsService,
    RunListService,
    TriggerService,
    TriggerActions,
    TriageService,
    SignaturesService,
    ComparisonService,
    InstalledPackages,
    AffectedByService,
    {
      provide: ResultLongPoll,
      inject: [Results, DispatcherClient],
      useFactory: (results: Results, dispatchers: DispatcherClient) =>
        new ResultLongPoll(results, systemClock, dispatchers),
    },
  ],
})
export class RunsModule {}
