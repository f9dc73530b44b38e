import {
  isSameGrant,
  type AttemptOutcome,
  type FactKind,
  type Grant,
  type RunRequest,
  type RunState,
} from '@proctor/contracts';
import {
  believedSeconds,
  crashesOf,
  type DispatchedRun,
  type RunOutcome,
  stateAfter,
  type Write,
} from '@proctor/dispatch';

/** A row of runs, with its attempts. */
export interface RunRow {
  runId: number;
  request: RunRequest;
  /** User name. */
  requestor: string;
  arrivedAt: number;
  committed: boolean;
  state: RunState;
  attempt: number;
  worker: string | null;
  outcome: RunOutcome | null;
  cancelled: boolean;
  attempts: AttemptRow[];
}

export interface AttemptRow {
  attempt: number;
  epoch: number;
  worker: string;
  incarnation: string;
  slot: number;
  grantedAtMs: number;
  endedAtMs: number | null;
  outcome: AttemptOutcome | null;
  reason: string | null;
  /** The signature of its crash. */
  crash: string | null;
  /** What it left, when its report is stored. */
  result: RunOutcome | null;
}

export type RunWrite = Extract<Write, { runId: number }>;

/** False when the row does not allow the write; it may have been changed in part then. */
export function apply(row: RunRow, write: RunWrite, epoch: number, nowMs: number): boolean {
  switch (write.kind) {
    case 'grant': {
      if (write.attempt !== row.attempt + 1 || !moves(row, 'grant')) return false;
      const { attempt, worker, incarnation, slot } = write;
      const open = {
        grantedAtMs: nowMs,
        endedAtMs: null,
        outcome: null,
        reason: null,
        crash: null,
        result: null,
      };
      row.attempts.push({ attempt, epoch, worker, incarnation, slot, ...open });
      Object.assign(row, { attempt, worker });
      return true;
    }
    case 'start':
      return write.attempt === row.attempt && moves(row, 'start');
    case 'requeue':
      if (write.attempt !== row.attempt) return false;
      if (row.state === 'queued' ? !failsWhileQueued(row, write) : !moves(row, 'requeue')) return false;
      endAttempt(row, write.outcome, nowMs, write.result, write.reason, write.crash);
      row.worker = null;
      return true;
    case 'finish':
      if (write.attempt !== row.attempt || !moves(row, 'finish')) return false;
      endAttempt(
        row,
        write.attemptOutcome,
        nowMs,
        write.attemptOutcome === 'finished' ? write.outcome : null,
      );
      row.worker = write.worker;
      row.outcome = write.outcome;
      return true;
    case 'correct':
      if (write.attempt !== row.attempt || !isLate(row, write) || !moves(row, 'correct')) return false;
      endAttempt(row, 'finished', nowMs, write.outcome);
      Object.assign(row, { worker: write.worker, outcome: believed(row, write.outcome, nowMs) });
      return true;
  }
}

/** Only once, by the worker of the latest attempt, which has left nothing. */
function believed({ attempts }: RunRow, outcome: RunOutcome, nowMs: number): RunOutcome {
  const { durationSeconds } = outcome;
  const sinceGrantMs = nowMs - (attempts.at(-1)?.grantedAtMs ?? nowMs);
  return durationSeconds === null
    ? outcome
    : { ...outcome, durationSeconds: believedSeconds(durationSeconds, sinceGrantMs) };
}

function isLate(row: RunRow, write: Extract<Write, { kind: 'correct' }>): boolean {
  const latest = row.attempts.at(-1);
  if (!latest || row.cancelled || latest.worker !== write.worker || !isGrantOf(row, latest, write))
    return false;
  return latest.outcome === 'expired' || latest.outcome === 'lost';
}

/** Whether the attempt of the run was granted as this. */
export function isGrantOf({ runId }: RunRow, { attempt, epoch }: AttemptRow, grant: Grant): boolean {
  return isSameGrant({ runId, attempt, grantEpoch: epoch }, grant);
}

/** The report of a failed attempt came when the run waited again for another reason. */
function failsWhileQueued(row: RunRow, { result }: Extract<Write, { kind: 'requeue' }>): boolean {
  const latest = row.attempts.at(-1);
  return result !== null && latest !== undefined && latest.outcome !== 'failed';
}

export function moves(row: RunRow, transition: Parameters<typeof stateAfter>[1]): boolean {
  try {
    row.state = stateAfter(row.state, transition);
    return true;
  } catch {
    return false;
  }
}

export function endAttempt(
  row: RunRow,
  outcome: AttemptOutcome,
  nowMs: number,
  result: RunOutcome | null = null,
  reason: string | null = null,
  crash: string | null = null,
): void {
  const latest = row.attempts.at(-1);
  if (latest) Object.assign(latest, { outcome, result, reason, crash, endedAtMs: latest.endedAtMs ?? nowMs });
}

const LOST: (AttemptOutcome | null)[] = ['expired', 'lost', 'failed'];

export function dispatchedRun({ request, ...row }: RunRow, nowMs: number): DispatchedRun {
  const latest = row.attempts.at(-1);
  const lostAttempts = row.attempts.filter(({ outcome }) => LOST.includes(outcome));
  const isHeld = latest !== undefined && (row.state === 'leased' || row.state === 'running');
  const { runId, requestor, arrivedAt, attempt } = row;
  const crashes = crashesOf(lostAttempts);
  return {
    ...structuredClone(request),
    ...{
      runId,
      requestor,
      arrivedAt,
      attempt,
      waitedMs: Math.max(0, nowMs - arrivedAt),
      attemptsLost: lostAttempts.length,
    },
    grantEpoch: latest?.epoch ?? 0,
    failedOn: [...new Set(lostAttempts.map(({ worker }) => worker))].sort(),
    lease: isHeld ? leaseOf(latest, row.state as 'leased' | 'running', nowMs) : null,
    latestWorker: latest?.worker ?? null,
    latestFailed: latest?.outcome === 'failed',
    latestLost: latest && LOST.includes(latest.outcome) ? lostOf(latest, nowMs) : null,
    ...(crashes.length > 0 && { crashes }),
  };
}

function lostOf({ endedAtMs, reason }: AttemptRow, nowMs: number): DispatchedRun['latestLost'] {
  return { agoMs: Math.max(0, nowMs - (endedAtMs ?? nowMs)), reason: reason ?? '' };
}

function leaseOf(attempt: AttemptRow, state: 'leased' | 'running', nowMs: number): DispatchedRun['lease'] {
  const { worker, incarnation, slot, grantedAtMs } = attempt;
  return { worker, incarnation, slot, state, heldMs: Math.max(0, nowMs - grantedAtMs) };
}

/** The fact of a write; null when it changes no state. */
export function factOf(
  row: RunRow,
  write: RunWrite,
): { kind: FactKind; actor: string; reason: string | null } | null {
  const executor = `worker ${row.attempts.at(-1)?.worker}`;
  switch (write.kind) {
    case 'grant':
      return { kind: 'granted', actor: 'scheduler', reason: `to slot ${write.slot} of ${write.worker}` };
    case 'start':
      return { kind: 'started', actor: executor, reason: null };
    case 'requeue': {
      const isGivenUp = write.outcome === 'expired' || write.outcome === 'lost';
      return { kind: 'requeued', actor: isGivenUp ? 'scheduler' : executor, reason: write.reason };
    }
    case 'correct':
      return { kind: 'corrected', actor: `worker ${write.worker}`, reason: write.outcome.message };
    case 'finish': {
      const isReported = write.attemptOutcome === 'finished' && write.worker !== null;
      const actor = isReported ? `worker ${write.worker}` : 'scheduler';
      return { kind: 'finished', actor, reason: write.outcome.message };
    }
  }
}
