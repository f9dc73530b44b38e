import type { Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import type { AskTurns } from './ask-turns';
import type { BusySlots } from './busy-slots';
import type { Epochs } from './epochs';
import type { Notices } from './notices';
import type { AttemptRunner, CanaryRunner, LeaseClient, ReportOutbox, TestbedOffer } from './ports';
import type { Standings } from './standings';

export interface SlotSettings {
  /** An answer that takes longer counts as lost; it may still come late. */
  replyTimeoutMs: number;
  /** Pause after an unanswered request. */
  retryMs: number;
  /** How long a slot waits for the answer to a result before it requests work from other architectures. */
  answerWaitMs: number;
  /** How long a stopping slot waits for answers. */
  stopTimeoutMs: number;
  /** How long it waits until the result of an ended test is on disk. */
  keepTimeoutMs: number;
}

/** Everything that a slot uses. */
export interface SlotParts {
  client: LeaseClient;
  outbox: ReportOutbox;
  runner: AttemptRunner;
  canaries: CanaryRunner;
  testbeds: TestbedOffer;
  epochs: Epochs;
  notices: Notices;
  /** Earlier lives of this worker, the latest first. */
  previous: readonly string[];
  standings: Pick<Standings, 'onAnswer'>;
  /** Shared by all slots of the worker. */
  turns: AskTurns;
  /** Shared by all slots of the worker. */
  busy: BusySlots;
  clock: Clock;
  log: Log;
  settings: SlotSettings;
  /** A new id for a lease request, a UUID. */
  newAskId: () => string;
  /** Returns a random number from 0 up to 1, for the jitter of pauses. */
  random: () => number;
}
