import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Bus } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import { SUBJECTS, subjectOf, type SlotsWanted } from '@proctor/contracts';
import { PostgresJournal } from '@proctor/database';
import type { AttemptToStop, SlotsToWake } from '@proctor/dispatch';
import { CLOCK } from '../configuration.token';
import { FactPublishers } from '../facts/fact-publishers';
import { StatusKeepers } from '../statuses/status-keepers';
import type { ActorPorts } from './actor-ports';
import { DispatcherMetrics } from './dispatcher-metrics';
import { Dispatchers } from './dispatchers';
import { Sightings } from './sightings';
import type { Sighting } from './sightings';
import { WorkerStreams } from './worker-streams';

/** The objects that all actors of this process share: the database, the bus, the publishers of events. */
@Injectable()
export class ActorSurroundings implements ActorPorts {
  @Inject(PostgresJournal) readonly journal: PostgresJournal;
  @Inject(CLOCK) readonly clock: Clock;
  @Inject(Bus) private readonly bus: Bus;
  @Inject(FactPublishers) private readonly publishers: FactPublishers;
  @Inject(StatusKeepers) private readonly statuses: StatusKeepers;
  @Inject(WorkerStreams) private readonly streams: WorkerStreams;
  @Inject(DispatcherMetrics) readonly watch: DispatcherMetrics;
  @Inject(ModuleRef) private readonly module: ModuleRef;
  @Inject(Sightings) private readonly sightings: Sightings;

  isReachable(): boolean {
    return this.bus.isConnected();
  }

  signalWorkWaiting(arch: string, slotsToWake: SlotsToWake[] | null): void {
    if (!slotsToWake) return this.bus.signal(subjectOf(SUBJECTS.workWaiting, arch), {});
    for (const { worker, slots } of slotsToWake) {
      const signal: SlotsWanted = { arch, slots };
      this.bus.signal(subjectOf(SUBJECTS.slotsWanted, worker), signal);
    }
  }

  signalStop({ worker, ...stop }: AttemptToStop): void {
    this.bus.signal(subjectOf(SUBJECTS.stopAttempt, worker), stop);
    this.streams.onStopped(worker, stop);
  }

  onFactsCommitted(arch: string): void {
    this.publishers.onFactsCommitted(arch);
    this.statuses.onRunsChanged(arch);
  }

  onWorkersRegistered(arch: string, workers: string[]): void {
    // Looked up at the call, since Dispatchers itself needs this class.
    this.module.get(Dispatchers).onWorkersRegistered(arch, workers);
  }

  recordSightings(sightings: Sighting[]): void {
    this.sightings.record(sightings);
  }
}
