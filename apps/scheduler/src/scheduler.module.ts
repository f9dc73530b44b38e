import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { Bus, BusModule, BusStrategy } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import type { Connections, LiveConfiguration } from '@proctor/config';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { DatabaseModule, PostgresJournal, PostgresOwnershipRegister } from '@proctor/database';
import { ResultStore, StoreModule } from '@proctor/store';
import { actorSettings } from './actor-settings';
import { DispatchController } from './dispatcher/dispatch.controller';
import { DispatcherActor, type ActorPorts } from './dispatcher/dispatcher-actor';
import { Dispatchers } from './dispatcher/dispatchers';
import { OwnershipKeeper } from './ownership/ownership-keeper';
import { FinishedReports } from './reports/finished-reports';
import { ReportsController } from './reports/reports.controller';

/** The wiring of the scheduler process. */
@Module({})
export class SchedulerModule {
  static forRoot(configuration: LiveConfiguration, connections: Connections): DynamicModule {
    return {
      module: SchedulerModule,
      imports: [
        DatabaseModule.forRoot(connections.databaseUrl),
        BusModule.forServing(connections.natsUrl, 'scheduler'),
        StoreModule.forRoot(configuration.store, () => connections.storeCredentials),
      ],
      controllers: [DispatchController, ReportsController],
      providers: [dispatchers(configuration), ownershipKeeper(configuration), finishedReports],
    };
  }
}

function dispatchers(configuration: LiveConfiguration): Provider {
  return {
    provide: Dispatchers,
    inject: [BusStrategy, Bus, PostgresJournal],
    useFactory: (strategy: BusStrategy, bus: Bus, journal: PostgresJournal) => {
      const ports: ActorPorts = {
        journal,
        clock: systemClock,
        isHearing: () => bus.isConnected(),
        signalWorkWaiting: (arch) => bus.signal(subjectOf(SUBJECTS.workWaiting, arch), {}),
        signalStop: ({ worker, ...stop }) => bus.signal(subjectOf(SUBJECTS.stopAttempt, worker), stop),
      };
      const owned = new Dispatchers(
        strategy,
        (tenure) => new DispatcherActor(tenure, ports, actorSettings(configuration)),
      );
      bus.onReconnect(() => owned.heardAgain());
      configuration.onChange(() => owned.reconfigure(actorSettings(configuration)));
      return owned;
    },
  };
}

function ownershipKeeper(configuration: LiveConfiguration): Provider {
  return {
    provide: OwnershipKeeper,
    inject: [PostgresOwnershipRegister, Dispatchers],
    useFactory: (register: PostgresOwnershipRegister, realm: Dispatchers) =>
      new OwnershipKeeper(register, realm, systemClock, {
        scheduler: `${hostname()}-${process.pid}-${randomUUID()}`,
        get architectures() {
          return configuration.server.architectures;
        },
        ownershipTtlMs: configuration.scheduler.ownershipTtlMs,
      }),
  };
}

const finishedReports: Provider = {
  provide: FinishedReports,
  inject: [Dispatchers, PostgresJournal, Bus, ResultStore],
  useFactory: (owned: Dispatchers, journal: PostgresJournal, bus: Bus, store: ResultStore) =>
    new FinishedReports(owned, journal, bus, store),
};
