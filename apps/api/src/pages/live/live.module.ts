import { systemClock } from '@proctor/clock';
import { OwnRuns, PackagePages, PublicRuns, StatusLists, TriggerRuns } from '@proctor/database';
import { DispatcherClient } from '../../dispatchers/dispatcher-client';
import { ExplanationService } from '../../dispatchers/explanation.service';
import { QueuesService } from '../../queues/queues.service';
import { WorkersService } from '../../workers/workers.service';
import { Room } from '../../http/room';
import { LiveController } from './live.controller';
import { LiveTopics, type VersionOf } from './live-topics';
import { pageVersions } from './page-versions';
import { WaitingPlaces } from './waiting-places';

const VERSIONS = Symbol('what open pages show');

/** Signals to open pages that they are stale. */
@Room({
  controllers: [LiveController],
  providers: [
    {
      provide: WaitingPlaces,
      inject: [ExplanationService],
      useFactory: (explanation: ExplanationService) => new WaitingPlaces(explanation, systemClock),
    },
    {
      provide: VERSIONS,
      inject: [
        PublicRuns,
        PackagePages,
        WaitingPlaces,
        QueuesService,
        TriggerRuns,
        WorkersService,
        OwnRuns,
        StatusLists,
      ],
      useFactory: (
        publicRuns: PublicRuns,
        pages: PackagePages,
        places: WaitingPlaces,
        queues: QueuesService,
        triggers: TriggerRuns,
        workers: WorkersService,
        ownRuns: OwnRuns,
        statuses: StatusLists,
      ) => pageVersions(publicRuns, pages, places, { ownRuns, queues, triggers, workers, statuses }),
    },
    {
      provide: LiveTopics,
      inject: [VERSIONS, DispatcherClient],
      useFactory: (versions: VersionOf, dispatchers: DispatcherClient) =>
        new LiveTopics(versions, systemClock, dispatchers),
    },
  ],
})
export class LivePagesModule {}
