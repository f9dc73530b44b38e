import type { Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import type { AskTurns } from './ask-turns';
import type { BusySlots } from './busy-slots';
import type { Epochs } from './epochs';
import type { Notices } from './notices';
import type { AttemptRunner, CanaryRunner, LeaseClient, ReportOutbox, TestbedOffer } from './ports';
import type { Standings } from './standings';

export interface SlotSettings {
  /** An answer that took longer counts as lost; it may still come, late. */
  replyTimeoutMs: number;
  /** Pause after an ask that was not answered. */
  retryMs: number;
  /** How long a slot waits for the answer to a result before it asks other architectures. */
  answerWaitMs: number;
  /** How long a slot that stops waits for the answers it still needs. */
  stopTimeoutMs: number;
  /** How long it waits for the result of a test that has ended to be on disk. */
  keepTimeoutMs: number;
}

/** Everything that a slot is connected to. */
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
  /** Of all slots of the worker. */
  turns: AskTurns;
  /** Likewise. */
  busy: BusySlots;
  clock: Clock;
  log: Log;
  settings: SlotSettings;
  /** A new name for an ask, a UUID. */
  newAskId: () => string;
  /** From 0 up to 1, for the jitter of pauses. */
  random: () => number;
}
