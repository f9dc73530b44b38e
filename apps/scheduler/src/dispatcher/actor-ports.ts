import type { Clock } from '@proctor/clock';
import type {
  AttemptToStop,
  DispatcherState,
  DispatchSettings,
  Journal,
  QueueFigures,
  SlotsToWake,
  WorkerFigure,
  WorkerMachine,
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

/** The interfaces that an actor uses. */
export interface ActorPorts {
  journal: Journal;
  clock: Clock;
  /** Whether messages of workers can reach this process now. */ isReachable(): boolean;
  /** Signals these idle slots to ask again; null: all idle slots of the architecture. */
  signalWorkWaiting(arch: string, slots: SlotsToWake[] | null): void;
  /** Signals a worker to stop an attempt at once. */
  signalStop(stop: AttemptToStop): void;
  /** Facts about runs of the architecture were committed. */
  onFactsCommitted(arch: string): void;
  /** The register was read: these workers may report to the architecture. */
  onWorkersRegistered(arch: string, workers: string[]): void;
  recordSightings(sightings: Sighting[]): void;
  readonly watch?: DispatcherWatch;
}

/** Counts what a dispatcher does. Times are milliseconds. */
export interface DispatcherWatch {
  /** All runs are in memory. */
  onLoaded(state: DispatcherState, tookMs: number): void;
  /** A turn was committed. @param now the actor's own time */
  onCommitted(state: DispatcherState, writes: Write[], tookMs: number, now: number): void;
}

/** The state of a dispatcher, as numbers. */
export interface DispatcherFigures {
  epoch: number;
  /** Messages that wait in the mailbox. */
  mailbox: number;
  queues: QueueFigures[];
  workers: Record<WorkerFigure, number>;
  /** See openSlots. */
  slots: number;
  /** See machineFigures. */
  machines: WorkerMachine[];
}
