import type { FactKind, RunState, Verdict } from '@proctor/contracts';

/** A fact, with the fields of its run that other programs get. */
export interface RunEvent {
  factId: number;
  runId: number;
  /** Place in the run's history, from 1 on. */
  place: number;
  kind: FactKind;
  /** The state of the run after the event. */
  state: RunState;
  attempt: number;
  verdict: Verdict | null;
  at: Date;
  package: string;
  suite: string;
  arch: string;
  /** Null without a trigger, and for one that is too long. */
  trigger: string | null;
  createdAt: Date;
  isPrivate: boolean;
  /** The API key that may read the run, and its user. */
  keyId: number;
  requestor: string;
}
