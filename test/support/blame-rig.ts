import type { LeaseReply, Trouble, Verdict, WorkerStanding } from '@proctor/contracts';
import type { DispatchedRun, DispatchSettings, LoadedRows, Step, Write } from '@proctor/dispatch';
import { DispatcherRig } from './dispatcher-rig';
import { finishedReport, waitingRun } from './runs';

export const MINUTE_MS = 60_000;

/** A dispatcher with any number of runs, each of a package of its own, and workers on which they fail. */
export class BlameRig extends DispatcherRig {
  constructor(past: Partial<LoadedRows> = {}, changes: Partial<DispatchSettings> = {}) {
    const retry = { attemptsMax: 99, delayMs: MINUTE_MS, delayMaxMs: MINUTE_MS };
    const runs = Array.from({ length: 50 }, (_, index) => numbered(index + 1));
    super(runs, { retry, workerQuietMaxMs: 3 * MINUTE_MS, ...changes }, past);
  }

  /** Two workers: w1, and w2, which could do all of its work. */
  static pair(past: Partial<LoadedRows> = {}): BlameRig {
    const rig = new BlameRig(past);
    for (const worker of ['w2', 'w1']) rig.execute(worker, 'pass');
    return rig;
  }

  /** The worker is granted a run, which ends so. Answers what was written at the end. */
  execute(worker: string, verdict: Verdict, trouble?: Trouble): Write[] {
    return this.end(worker, this.ask({ worker }).reply, verdict, trouble);
  }

  /** The run that this answer granted ends so. */
  end(worker: string, { lease }: LeaseReply, verdict: Verdict, trouble?: Trouble): Write[] {
    if (!lease) throw new Error(`${worker} was granted nothing`);
    const end = { worker, verdict, message: 'the testbed failed', ...(trouble && { trouble }) };
    const report = finishedReport(lease.runId, lease.attempt, end);
    return this.send({ kind: 'finished', report }).writes;
  }

  /** Answers the judgements to which so many failures lead. */
  fail(worker: string, times: number): Write[] {
    return judgements(Array.from({ length: times }, () => this.execute(worker, 'tmpfail')).flat());
  }

  canaryAsked(changes = {}): LeaseReply['canary'] {
    return this.ask(changes).reply.canary;
  }

  /** The slot that got this answer asks again with the result of its canary test. */
  sendCanary(worker: string, { canary }: LeaseReply, passed: boolean): Step<'lease'> {
    if (!canary) throw new Error(`${worker} was not asked for a canary test`);
    const message = passed ? 'all tests passed' : 'no space left';
    return this.ask({ worker, canary: { canary: canary.canary, passed, message } });
  }

  drain(worker: string): void {
    const drains = [{ worker, by: 'ada', reason: 'a new disk', since: '2026-01-01 00:00:00' }];
    this.send({ kind: 'restrictions', restrictions: { pauses: [], drains } });
  }

  standing(worker: string): WorkerStanding {
    return this.state.judgements.standingOf(worker);
  }

  /** Why it is not sound. */
  reasonOf(worker: string): string | undefined {
    return this.state.judgements.detailsOf(this.state, worker, this.now)?.reason;
  }
}

/** A run of a package that no other run has. */
export function numbered(runId: number, changes: Partial<DispatchedRun> = {}): DispatchedRun {
  return waitingRun(runId, { package: `package${runId}`, ...changes });
}

export function judgements(writes: Write[]): Write[] {
  return writes.filter(({ kind }) => kind === 'judge-worker');
}
