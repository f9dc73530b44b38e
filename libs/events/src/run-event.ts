import type { FactKind, RunState, Verdict } from '@proctor/contracts';

/** A fact with what other programs are told of its run. */
export interface RunEvent {
  factId: number;
  runId: number;
  /** In the run's story, from 1 on. */
  place: number;
  kind: FactKind;
  /** The run's after it. */
  state: RunState;
  attempt: number;
  verdict: Verdict | null;
  at: Date;
  package: string;
  suite: string;
  arch: string;
  /** Null without one, and for one that is too long to be told. */
  trigger: string | null;
  createdAt: Date;
  isPrivate: boolean;
  /** The API key that may read the run, and its user. */
  keyId: number;
  requestor: string;
}
