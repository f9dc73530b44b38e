import type { AttemptOutcome, RunRequest, RunState } from '@proctor/contracts';
import {
  FenceBroken,
  stateAfter,
  StaleEpoch,
  type DispatchedRun,
  type Journal,
  type Order,
  type Ownership,
  type OwnershipRegister,
  type RunOutcome,
  type Write,
} from '@proctor/dispatch';

/** A row of runs, with its attempts. */
export interface RunRow {
  runId: number;
  request: RunRequest;
  requestorId: number;
  arrivedAt: number;
  committed: boolean;
  takenIn: boolean;
  state: RunState;
  attempt: number;
  worker: string | null;
  outcome: RunOutcome | null;
  cancelled: boolean;
  attempts: AttemptRow[];
}

interface OrderRow {
  orderId: number;
  runId: number;
  by: string;
  takenIn: boolean;
}

export interface AttemptRow {
  attempt: number;
  epoch: number;
  worker: string;
  incarnation: string;
  slot: number;
  outcome: AttemptOutcome | null;
}

interface OwnerRow {
  epoch: number;
  owner: string | null;
  expiresAtMs: number;
}

/** The database in memory: the same promises as PostgreSQL's, by the same contract. */
export class MemoryBooks implements Journal, OwnershipRegister {
  private readonly rows = new Map<number, RunRow>();
  private readonly orderRows: OrderRow[] = [];
  private readonly owners = new Map<string, OwnerRow>();
  private readonly schedulers = new Map<string, number>();

  /**
   * @param nowMs the database's own clock
   * @param onWrite is told of each write that was committed
   */
  constructor(
    private readonly nowMs: () => number,
    private readonly onWrite: (write: Write, row: RunRow, epoch: number) => void = () => undefined,
  ) {}

  /** Draws an id; the run can be seen once it is committed. */
  draw(request: RunRequest, requestorId = 1): RunRow {
    const row: RunRow = {
      ...{ runId: this.rows.size + 1, request, requestorId, arrivedAt: this.nowMs(), committed: false },
      ...{ takenIn: false, state: 'queued', attempt: 0, worker: null, outcome: null, cancelled: false },
      attempts: [],
    };
    this.rows.set(row.runId, row);
    return row;
  }

  /** False when the run has finished before. */
  cancel(runId: number, by: string): boolean {
    const row = this.rows.get(runId);
    if (!row?.committed || !moves(row, 'cancel')) return false;
    const message = `cancelled by ${by}`;
    const nothing = { exitCode: null, version: null, durationSeconds: null, files: [] };
    Object.assign(row, { cancelled: true, outcome: { verdict: 'tmpfail', message, ...nothing } });
    if (row.attempts.at(-1)?.outcome === null) endAttempt(row, 'cancelled');
    this.orderRows.push({ orderId: this.orderRows.length + 1, runId, by, takenIn: false });
    return true;
  }

  /** Ids of runs with an order that no dispatcher has taken in. */
  get ordersWaiting(): number[] {
    return this.orderRows.filter(({ takenIn }) => !takenIn).map(({ runId }) => runId);
  }

  look(runId: number): RunRow | undefined {
    return this.rows.get(runId);
  }

  all(): RunRow[] {
    return [...this.rows.values()];
  }

  async load(arch: string): Promise<DispatchedRun[]> {
    return Promise.resolve(this.visible(arch, (row) => row.state !== 'finished'));
  }

  async arrivals(arch: string, limit: number): Promise<DispatchedRun[]> {
    const waiting = this.visible(arch, (row) => !row.takenIn && row.state === 'queued');
    return Promise.resolve(waiting.slice(0, limit));
  }

  async orders(arch: string, limit: number): Promise<Order[]> {
    const waiting = this.orderRows.flatMap(({ orderId, runId, by, takenIn }) => {
      const row = this.rows.get(runId);
      if (takenIn || row?.request.arch !== arch) return [];
      return [{ orderId, kind: 'cancel' as const, runId, by, attempt: row.attempt, worker: row.worker }];
    });
    return Promise.resolve(waiting.slice(0, limit));
  }

  async finishedAttempt(runId: number): Promise<number | null> {
    const row = this.rows.get(runId);
    return Promise.resolve(row?.state === 'finished' && !row.cancelled ? row.attempt : null);
  }

  async commit(arch: string, epoch: number, writes: Write[]): Promise<void> {
    if (this.owners.get(arch)?.epoch !== epoch) throw new StaleEpoch(arch, epoch);
    const before = new Map<number, RunRow>();
    try {
      for (const write of writes) {
        const row = this.rows.get(write.runId);
        if (row && !before.has(row.runId)) before.set(row.runId, structuredClone(row));
        if (!row?.committed || row.request.arch !== arch || !this.apply(row, write, epoch))
          throw new FenceBroken(write);
      }
    } catch (error) {
      for (const [runId, row] of before) this.rows.set(runId, row);
      throw error;
    }
    for (const write of writes) this.onWrite(write, this.rows.get(write.runId) as RunRow, epoch);
    return Promise.resolve();
  }

  async announce(scheduler: string, ttlMs: number): Promise<string[]> {
    this.schedulers.set(scheduler, this.nowMs() + ttlMs);
    for (const [each, expiresAtMs] of this.schedulers)
      if (expiresAtMs <= this.nowMs()) this.schedulers.delete(each);
    return Promise.resolve([...this.schedulers.keys()].sort());
  }

  async claim(arch: string, scheduler: string, ttlMs: number): Promise<Ownership | null> {
    const held = this.owners.get(arch);
    const isAlive = held !== undefined && held.owner !== null && held.expiresAtMs > this.nowMs();
    if (isAlive && held.owner !== scheduler) return Promise.resolve(null);
    const epoch = isAlive ? held.epoch : (held?.epoch ?? 0) + 1;
    this.owners.set(arch, { epoch, owner: scheduler, expiresAtMs: this.nowMs() + ttlMs });
    return Promise.resolve({ arch, epoch });
  }

  async release(arch: string, scheduler: string): Promise<void> {
    const held = this.owners.get(arch);
    if (held?.owner === scheduler) held.owner = null;
    return Promise.resolve();
  }

  async withdraw(scheduler: string): Promise<void> {
    this.schedulers.delete(scheduler);
    for (const held of this.owners.values()) if (held.owner === scheduler) held.owner = null;
    return Promise.resolve();
  }

  private apply(row: RunRow, write: Write, epoch: number): boolean {
    if (write.kind !== 'order-taken') return apply(row, write, epoch);
    const order = this.orderRows.find(({ orderId }) => orderId === write.orderId);
    if (order?.runId !== row.runId) return false;
    order.takenIn = true;
    return true;
  }

  private visible(arch: string, matches: (row: RunRow) => boolean): DispatchedRun[] {
    return this.all()
      .filter((row) => row.committed && row.request.arch === arch && matches(row))
      .sort((a, b) => a.arrivedAt - b.arrivedAt || a.runId - b.runId)
      .map(dispatchedRun);
  }
}

/** False when the row does not allow the write. */
function apply(row: RunRow, write: Exclude<Write, { kind: 'order-taken' }>, epoch: number): boolean {
  switch (write.kind) {
    case 'take-in':
      row.takenIn = true;
      return row.state !== 'finished';
    case 'grant': {
      if (write.attempt !== row.attempt + 1 || !moves(row, 'grant')) return false;
      const { attempt, worker, incarnation, slot } = write;
      row.attempts.push({ attempt, epoch, worker, incarnation, slot, outcome: null });
      Object.assign(row, { attempt, worker, takenIn: true });
      return true;
    }
    case 'start':
      return write.attempt === row.attempt && moves(row, 'start');
    case 'requeue':
      if (write.attempt !== row.attempt || !moves(row, 'requeue')) return false;
      endAttempt(row, write.outcome);
      row.worker = null;
      return true;
    case 'finish':
      if (write.attempt !== row.attempt || !moves(row, 'finish')) return false;
      endAttempt(row, write.attemptOutcome);
      row.worker = write.worker;
      row.outcome = write.outcome;
      return true;
  }
}

function moves(row: RunRow, transition: Parameters<typeof stateAfter>[1]): boolean {
  try {
    row.state = stateAfter(row.state, transition);
    return true;
  } catch {
    return false;
  }
}

function endAttempt(row: RunRow, outcome: AttemptOutcome): void {
  const latest = row.attempts.at(-1);
  if (latest) latest.outcome = outcome;
}

function dispatchedRun({ request, ...row }: RunRow): DispatchedRun {
  const latest = row.attempts.at(-1);
  const { worker, incarnation, slot } = latest ?? {};
  const isHeld = row.state === 'leased' || row.state === 'running';
  const held = isHeld && worker !== undefined && incarnation !== undefined && slot !== undefined;
  return {
    ...structuredClone(request),
    ...{ runId: row.runId, requestorId: row.requestorId, arrivedAt: row.arrivedAt, attempt: row.attempt },
    attemptsLost: row.attempts.filter(({ outcome }) => outcome === 'expired' || outcome === 'lost').length,
    lease: held ? { worker, incarnation, slot, state: row.state as 'leased' | 'running' } : null,
    latestWorker: worker ?? null,
  };
}
