import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { Bus, BusModule, BusStrategy } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import type { Connections, LiveConfiguration } from '@proctor/config';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import {
  AwaitedReports,
  DatabaseModule,
  Facts,
  PostgresJournal,
  PostgresOwnershipRegister,
  WorkerRegister,
} from '@proctor/database';
import { ResultStore, StoreModule } from '@proctor/store';
import { actorSettings } from './dispatcher/actor-settings';
import { DispatchController } from './dispatcher/dispatch.controller';
import { DispatcherActor, type ActorPorts } from './dispatcher/dispatcher-actor';
import { Dispatchers } from './dispatcher/dispatchers';
import { Sightings } from './dispatcher/sightings';
import { FactPublisher } from './facts/fact-publisher';
import { FactPublishers } from './facts/fact-publishers';
import { OwnershipKeeper } from './ownership/ownership-keeper';
import { Realms } from './ownership/realm';
import { FinishedReports } from './reports/finished-reports';
import { WorkerStreams } from './dispatcher/worker-streams';
import { ReportsController } from './reports/reports.controller';
import { StagingSweeper } from './reports/staging-sweeper';

/** The wiring of the scheduler process. */
@Module({})
export class SchedulerModule {
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
        factPublishers(configuration),
        SIGHTINGS,
        dispatchers(configuration),
        ownershipKeeper(configuration),
        finishedReports(configuration),
        stagingSweeper(configuration),
        {
          provide: WorkerStreams,
          inject: [Bus],
          useFactory: (bus: Bus) => new WorkerStreams(bus, systemClock),
        },
      ],
    };
  }
}

function dispatchers(configuration: LiveConfiguration): Provider {
  return {
    provide: Dispatchers,
    inject: [BusStrategy, Bus, PostgresJournal, FactPublishers, WorkerStreams, Sightings],
    useFactory: (
      strategy: BusStrategy,
      bus: Bus,
      journal: PostgresJournal,
      publishers: FactPublishers,
      streams: WorkerStreams,
      sightings: Sightings,
    ) => {
      const ports: ActorPorts = {
        journal,
        clock: systemClock,
        isReachable: () => bus.isConnected(),
        signalWorkWaiting: (arch) => bus.signal(subjectOf(SUBJECTS.workWaiting, arch), {}),
        signalStop: ({ worker, ...stop }) => {
          bus.signal(subjectOf(SUBJECTS.stopAttempt, worker), stop);
          streams.stopped(worker, stop);
        },
        factsCommitted: (arch) => publishers.look(arch),
        workersRegistered: (arch, workers) => owned.workersRegistered(arch, workers),
        sighted: (seen) => sightings.note(seen),
      };
      const owned = new Dispatchers(
        strategy,
        (tenure) => new DispatcherActor(tenure, ports, actorSettings(configuration)),
        systemClock,
      );
      bus.onReconnect(() => owned.heardAgain());
      configuration.onChange(() => owned.reconfigure(actorSettings(configuration)));
      return owned;
    },
  };
}

const SIGHTINGS: Provider = {
  provide: Sightings,
  inject: [WorkerRegister],
  useFactory: (register: WorkerRegister) => new Sightings(register, systemClock),
};

function factPublishers(configuration: LiveConfiguration): Provider {
  const settings = () => ({
    pollMs: configuration.scheduler.arrivalPollMs,
    pauseMs: 100,
    factsPerLookMax: 1_000,
  });
  return {
    provide: FactPublishers,
    inject: [Facts, Bus],
    useFactory: (facts: Facts, bus: Bus) =>
      new FactPublishers((tenure) => new FactPublisher(tenure, { facts, bus, clock: systemClock }, settings)),
  };
}

function ownershipKeeper(configuration: LiveConfiguration): Provider {
  return {
    provide: OwnershipKeeper,
    inject: [PostgresOwnershipRegister, Dispatchers, FactPublishers, Bus],
    useFactory: (
      register: PostgresOwnershipRegister,
      owned: Dispatchers,
      publishers: FactPublishers,
      bus: Bus,
    ) =>
      new OwnershipKeeper(register, new Realms(owned, publishers), systemClock, {
        scheduler: `${hostname()}-${process.pid}-${randomUUID()}`,
        get architectures() {
          return configuration.server.architectures;
        },
        ownershipTtlMs: configuration.scheduler.ownershipTtlMs,
        isConnected: () => bus.isConnected(),
      }),
  };
}

function finishedReports(configuration: LiveConfiguration): Provider {
  const renewMs = () => configuration.scheduler.leaseRenewMs;
  return {
    provide: FinishedReports,
    inject: [Dispatchers, PostgresJournal, Bus, ResultStore],
    useFactory: (owned: Dispatchers, journal: PostgresJournal, bus: Bus, store: ResultStore) =>
      new FinishedReports(owned, journal, bus, store, systemClock, renewMs),
  };
}

function stagingSweeper(configuration: LiveConfiguration): Provider {
  const settings = () => ({
    sweepMs: configuration.scheduler.stagingSweepMs,
    idleMaxMs: configuration.scheduler.stagingIdleMaxMs,
  });
  return {
    provide: StagingSweeper,
    inject: [Bus, AwaitedReports],
    useFactory: (bus: Bus, awaitedReports: AwaitedReports) =>
      new StagingSweeper({ bus, awaitedReports, clock: systemClock }, settings),
  };
}
