import type { Clock } from '@proctor/clock';
import type {
  AttemptToStop,
  DispatcherState,
  DispatchSettings,
  Journal,
  QueueFigures,
  SlotsToWake,
  WorkerFigure,
  Write,
} from '@proctor/dispatch';
import type { CommittedWorkSettings } from './committed-work';
import type { JournalLimits } from './limited-journal';
import type { Sighting } from './sightings';

export interface ActorSettings extends CommittedWorkSettings, JournalLimits {
  mailboxLengthMax: number;
  turnMessagesMax: number;
  dispatch: DispatchSettings;
}

/** The outside of an actor. */
export interface ActorPorts {
  journal: Journal;
  clock: Clock;
  /** Whether messages of workers can reach this process now. */
  isReachable(): boolean;
  /** Tells these idle slots to ask again; null stands for all of the architecture. */
  signalWorkWaiting(arch: string, wanted: SlotsToWake[] | null): void;
  /** Tells a worker to end an attempt at once. */
  signalStop(stop: AttemptToStop): void;
  /** What happened to runs of the architecture was committed. */
  onFactsCommitted(arch: string): void;
  /** The register was read: these workers may report to the architecture. */
  onWorkersRegistered(arch: string, workers: string[]): void;
  /** Messages of workers were handled. */
  recordSightings(sightings: Sighting[]): void;
  readonly watch?: DispatcherWatch;
}

/** Who counts what a dispatcher does. Times are milliseconds. */
export interface DispatcherWatch {
  /** All is in memory. */
  onLoaded(state: DispatcherState, tookMs: number): void;
  /** A turn was committed. @param now the actor's own time */
  onCommitted(state: DispatcherState, writes: Write[], tookMs: number, now: number): void;
}

/** How a dispatcher is at the moment. */
export interface DispatcherFigures {
  epoch: number;
  /** Messages that wait. */
  mailbox: number;
  queues: QueueFigures[];
  workers: Record<WorkerFigure, number>;
}
