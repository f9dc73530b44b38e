import {
  DispatcherState,
  step,
  type DispatchedRun,
  type DispatchSettings,
  type LoadedRows,
  type MessageKind,
  type MessageOf,
  type Step,
  type StatusViewer,
} from '@proctor/dispatch';
import { ARCH, finishedReport, leaseRequest, loaded, settings } from './runs';

/** One dispatcher, with its clock; no reports wait for it. */
export class DispatcherRig {
  now = 1_000;
  readonly state: DispatcherState;

  constructor(
    runs: DispatchedRun[],
    changes: Partial<DispatchSettings> = {},
    past: Partial<LoadedRows> = {},
  ) {
    this.state = new DispatcherState(
      { arch: ARCH, epoch: 7 },
      settings(changes),
      loaded(runs, past),
      this.now,
    );
    this.send({ kind: 'reports-waiting', attempts: [] });
  }

  send<K extends MessageKind>(message: MessageOf<K>): Step<K> {
    return step<K>(this.state, message, this.now);
  }

  ask(changes = {}) {
    return this.send({ kind: 'lease', request: leaseRequest(changes) });
  }

  tick(ms: number, workersReachable = true) {
    this.now += ms;
    return this.send({ kind: 'tick', workersReachable });
  }

  /** A report of run 1 by slot 0 of worker w1. */
  finish(attempt: number, changes = {}) {
    return this.send({ kind: 'finished', report: finishedReport(1, attempt, changes) });
  }

  /** Explains a run, by default to a viewer who sees what all users see. */
  explain(runId = 1, viewer: StatusViewer = {}) {
    return this.send({ kind: 'explain', runId, viewer }).reply;
  }

  reasons(runId = 1, viewer: StatusViewer = {}): string[] {
    return this.explain(runId, viewer).reasons;
  }
}
