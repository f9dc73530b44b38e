import { Inject, Module, type DynamicModule, type OnModuleInit, type Provider } from '@nestjs/common';
import { Bus, BusModule } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import type { Connections, LiveConfiguration } from '@proctor/config';
import { SUBJECTS } from '@proctor/contracts';
import { DatabaseModule } from '@proctor/database';
import { StoreModule } from '@proctor/store';
import { CLOCK, CONFIGURATION, type LiveSchedulerConfiguration } from './configuration.token';
import { ActorSurroundings } from './dispatcher/actor-surroundings';
import { DispatchController } from './dispatcher/dispatch.controller';
import { DispatcherActor } from './dispatcher/dispatcher-actor';
import { DispatcherMetrics } from './dispatcher/dispatcher-metrics';
import { Dispatchers, CREATE_ACTOR } from './dispatcher/dispatchers';
import { Sightings } from './dispatcher/sightings';
import { WorkerStreams } from './dispatcher/worker-streams';
import { FactPublishers } from './facts/fact-publishers';
import { HourKeeper } from './monitoring/hour-keeper';
import { MONITORING_PROVIDERS } from './monitoring/monitoring.providers';
import { OwnershipKeeper } from './ownership/ownership-keeper';
import { OwnedServices } from './ownership/owned-service';
import type { OwnershipTerm } from './ownership/ownership-term';
import { ClaimTimer } from './reports/claim-timer';
import { FinishedReports } from './reports/finished-reports';
import { ReportsController } from './reports/reports.controller';
import { StagingSweeper } from './reports/staging-sweeper';
import { actorSettings, SETTINGS } from './settings';
import { RestoreNotice } from './retention/restore-notice';
import { RetentionKeeper } from './retention/retention-keeper';
import { StoreRoom } from './retention/store-room';
import { SourceNamesIntake } from './sources/source-names-intake';
import { SourcesController } from './sources/sources.controller';
import { StatusKeepers } from './statuses/status-keepers';
import { TestbedRecorder } from './testbeds/testbed-recorder';
import { RunTraces } from './traces/run-traces';
import { OtlpSink, SPAN_SINK } from './traces/span-sink';

const TRACES: Provider[] = [
  {
    provide: SPAN_SINK,
    inject: [CONFIGURATION],
    useFactory: ({ scheduler: { tracesUrl } }: LiveSchedulerConfiguration) =>
      tracesUrl === undefined ? null : new OtlpSink(tracesUrl, process.env['OTEL_EXPORTER_OTLP_HEADERS']),
  },
  RunTraces,
];

const DISPATCHERS: Provider[] = [
  StoreRoom,
  DispatcherMetrics,
  Sightings,
  WorkerStreams,
  FactPublishers,
  StatusKeepers,
  ActorSurroundings,
  {
    provide: CREATE_ACTOR,
    inject: [ActorSurroundings, CONFIGURATION, StoreRoom],
    useFactory:
      (ports: ActorSurroundings, configuration: LiveSchedulerConfiguration, room: StoreRoom) =>
      (term: OwnershipTerm) =>
        new DispatcherActor(term, ports, actorSettings(configuration, room.whyStopped)),
  },
  Dispatchers,
];

const OWNERSHIP: Provider[] = [
  {
    provide: OwnedServices,
    inject: [Dispatchers, FactPublishers, StatusKeepers],
    useFactory: (...services: [Dispatchers, FactPublishers, StatusKeepers]) => new OwnedServices(...services),
  },
  OwnershipKeeper,
];

/**
 * The scheduler process. Its providers start and stop in Nest's hooks. Bootstrap: architectures are claimed and served.
 * Destroy: all of them are released. Before shutdown: sightings of workers are written. Shutdown: the connections are
 * closed.
 */
@Module({})
export class SchedulerModule implements OnModuleInit {
  constructor(
    private readonly bus: Bus,
    private readonly dispatchers: Dispatchers,
    private readonly room: StoreRoom,
    private readonly ownership: OwnershipKeeper,
    @Inject(CONFIGURATION) private readonly configuration: LiveSchedulerConfiguration,
  ) {}

  static forRoot(configuration: LiveConfiguration, connections: Connections): DynamicModule {
    return {
      module: SchedulerModule,
      imports: [
        DatabaseModule.forRoot(connections.databaseUrl),
        BusModule.forServing(
          connections.natsCredentials,
          { makesStreams: true, limits: { replicas: configuration.scheduler.streamReplicas } },
          configuration.scheduler.requests,
        ),
        StoreModule.forRoot(configuration.store, () => connections.storeCredentials),
      ],
      controllers: [DispatchController, ReportsController, SourcesController],
      providers: [
        { provide: CONFIGURATION, useValue: configuration },
        { provide: CLOCK, useValue: systemClock },
        ...SETTINGS,
        ...DISPATCHERS,
        ...TRACES,
        ...OWNERSHIP,
        ...MONITORING_PROVIDERS,
        ClaimTimer,
        FinishedReports,
        TestbedRecorder,
        SourceNamesIntake,
        StagingSweeper,
        RetentionKeeper,
        HourKeeper,
        RestoreNotice,
      ],
    };
  }

  onModuleInit(): void {
    this.bus.subscribe(SUBJECTS.architecturesReleased, () => this.ownership.onReleased());
    this.bus.onReconnect(() => this.dispatchers.onReachable());
    const reconfigure = (): void =>
      this.dispatchers.reconfigure(actorSettings(this.configuration, this.room.whyStopped));
    this.configuration.onChange(reconfigure);
    this.room.onChange(reconfigure);
  }
}
