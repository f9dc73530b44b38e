import { Inject, Module, type DynamicModule, type OnModuleInit, type Provider } from '@nestjs/common';
import { Bus, BusModule } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import type { Connections, LiveConfiguration } from '@proctor/config';
import { DatabaseModule } from '@proctor/database';
import { StoreModule } from '@proctor/store';
import { CLOCK, CONFIGURATION, type LiveSchedulerConfiguration } from './configuration.token';
import { ActorSurroundings } from './dispatcher/actor-surroundings';
import { DispatchController } from './dispatcher/dispatch.controller';
import { DispatcherActor } from './dispatcher/dispatcher-actor';
import { Dispatchers, MAKE_ACTOR } from './dispatcher/dispatchers';
import { Sightings } from './dispatcher/sightings';
import { WorkerStreams } from './dispatcher/worker-streams';
import { FactPublishers } from './facts/fact-publishers';
import { OwnershipKeeper } from './ownership/ownership-keeper';
import { OwnedServices } from './ownership/owned-service';
import type { OwnershipTerm } from './ownership/ownership-term';
import { ClaimTimer } from './reports/claim-timer';
import { FinishedReports } from './reports/finished-reports';
import { ReportsController } from './reports/reports.controller';
import { StagingSweeper } from './reports/staging-sweeper';
import { actorSettings, SETTINGS } from './settings';

const DISPATCHERS: Provider[] = [
  Sightings,
  WorkerStreams,
  FactPublishers,
  ActorSurroundings,
  {
    provide: MAKE_ACTOR,
    inject: [ActorSurroundings, CONFIGURATION],
    useFactory:
      (ports: ActorSurroundings, configuration: LiveSchedulerConfiguration) => (term: OwnershipTerm) =>
        new DispatcherActor(term, ports, actorSettings(configuration)),
  },
  Dispatchers,
];

const OWNERSHIP: Provider[] = [
  {
    provide: OwnedServices,
    inject: [Dispatchers, FactPublishers],
    useFactory: (dispatchers: Dispatchers, publishers: FactPublishers) =>
      new OwnedServices(dispatchers, publishers),
  },
  OwnershipKeeper,
];

/**
 * The scheduler process. Its providers begin and end by Nest's hooks. Bootstrap: architectures are claimed, and each is served
 * from then on. Destroy: all of them are given up. Before shutdown: what was seen of workers is written. Shutdown: the
 * connections are closed.
 */
@Module({})
export class SchedulerModule implements OnModuleInit {
  constructor(
    private readonly bus: Bus,
    private readonly dispatchers: Dispatchers,
    @Inject(CONFIGURATION) private readonly configuration: LiveSchedulerConfiguration,
  ) {}

  static forRoot(configuration: LiveConfiguration, connections: Connections): DynamicModule {
    return {
      module: SchedulerModule,
      imports: [
        DatabaseModule.forRoot(connections.databaseUrl),
        BusModule.forServing(connections.natsCredentials, { makesStreams: true }),
        StoreModule.forRoot(configuration.store, () => connections.storeCredentials),
      ],
      controllers: [DispatchController, ReportsController],
      providers: [
        { provide: CONFIGURATION, useValue: configuration },
        { provide: CLOCK, useValue: systemClock },
        ...SETTINGS,
        ...DISPATCHERS,
        ...OWNERSHIP,
        ClaimTimer,
        FinishedReports,
        StagingSweeper,
      ],
    };
  }

  onModuleInit(): void {
    this.bus.onReconnect(() => this.dispatchers.reachableAgain());
    this.configuration.onChange(() => this.dispatchers.reconfigure(actorSettings(this.configuration)));
  }
}
