import { Injectable } from '@nestjs/common';
import {
  type AttemptOfWorker,
  type DispatchedRun,
  FenceBroken,
  type Journal,
  type Loaded,
  type Order,
  type ReportState,
  StaleEpoch,
  type Standing,
  type WorkerJudgement,
  type Write,
  WriteRefused,
} from '@proctor/dispatch';
import { Database, type Statements } from './database';
import { type DecisionRow, decisionOf } from './decision-row';
import { arrivedRuns, unfinishedRuns } from './dispatched-runs';
import { announceUpdate } from './horizon';
import { APPLY, EPOCH, LOCK_RUNS } from './journal-statements';
import * as loading from './loading-statements';
import type { OrderKind } from './rows/order';
import { isUnstorable } from './unavailable';

interface WaitingOrder {
  orderId: number;
  kind: OrderKind;
  runId: number;
  priority: number;
  by: string;
  attempt: number;
  worker: string | null;
}

/** The rows behind the dispatchers; every write carries its fences in its own statement. */
@Injectable()
export class PostgresJournal implements Journal {
  constructor(private readonly database: Database) {}

  async load(arch: string, usageHalfLifeMs: number): Promise<Loaded> {
    const { database } = this;
    return {
      runs: await unfinishedRuns(database, arch),
      standing: await this.standing(arch),
      judgements: await database.query<WorkerJudgement>(loading.JUDGEMENTS, [arch]),
      usage: await database.query<Loaded['usage'][number]>(loading.USAGE, [arch, usageHalfLifeMs]),
      durations: await database.query<Loaded['durations'][number]>(loading.DURATIONS, [arch]),
    };
  }

  async standing(arch: string): Promise<Standing> {
    const pauses = await this.database.query<DecisionRow & { suite: string | null }>(loading.PAUSES_OF_ARCH, [
      arch,
    ]);
    const drains = await this.database.query<DecisionRow & { worker: string }>(loading.DRAINS);
    return { pauses: pauses.map(decisionOf), drains: drains.map(decisionOf) };
  }

  arrivals(arch: string, limit: number): Promise<DispatchedRun[]> {
    return arrivedRuns(this.database, arch, limit);
  }

  async orders(arch: string, limit: number): Promise<Order[]> {
    return (await this.database.query<WaitingOrder>(loading.ORDERS, [arch, limit])).map(orderOf);
  }

  async commit(arch: string, epoch: number, writes: Write[]): Promise<void> {
    await this.database.transaction(async (transaction) => {
      // Locked until the commit: an epoch that ends meanwhile waits for this transaction.
      if ((await transaction.query(EPOCH, [arch, epoch])).length === 0) throw new StaleEpoch(arch, epoch);
      const runIds = runsOf(writes);
      if (runIds.length > 1) await transaction.query(LOCK_RUNS, [runIds]);
      if (writes.some((write) => write.kind === 'finish')) await announceUpdate(transaction);
      for (const group of groups(writes)) await apply(transaction, arch, group);
    });
  }

  async reportState({ runId, attempt, worker }: AttemptOfWorker): Promise<ReportState> {
    const parameters = [runId, attempt, worker];
    const [found] = await this.database.query<{ state: ReportState }>(loading.REPORT_STATE, parameters);
    return found?.state ?? 'over';
  }
}

/** The runs that the writes are about, each once, ascending. */
function runsOf(writes: Write[]): number[] {
  const runIds = new Set(writes.flatMap((write) => ('runId' in write ? [write.runId] : [])));
  return [...runIds].sort((a, b) => a - b);
}

/** Writes that one statement can make: neighbours of one kind, each about another thing. */
function groups(writes: Write[]): Write[][] {
  const result: Write[][] = [];
  let subjects = new Set<number | string>();
  for (const write of writes) {
    const group = result.at(-1);
    const subject = subjectOf(write);
    if (group?.[0]?.kind === write.kind && !subjects.has(subject)) {
      group.push(write);
      subjects.add(subject);
    } else {
      result.push([write]);
      subjects = new Set([subject]);
    }
  }
  return result;
}

/** What a write is about; among writes of one kind. */
function subjectOf(write: Write): number | string {
  if (write.kind === 'order-taken') return write.orderId;
  return write.kind === 'judge-worker' ? write.worker : write.runId;
}

async function apply(transaction: Statements, arch: string, group: Write[]): Promise<void> {
  const statement = APPLY[group[0]!.kind];
  const rows = await transaction
    .query<{ id: number | string }>(statement, [JSON.stringify(group), arch])
    .catch((error: unknown) => {
      throw isUnstorable(error) ? new WriteRefused(String(error), { cause: error }) : error;
    });
  if (rows.length === group.length) return;
  const changed = new Set(rows.map((row) => row.id));
  throw new FenceBroken(group.find((write) => !changed.has(subjectOf(write)))!);
}

function orderOf({ orderId, kind, runId, priority, by, attempt, worker }: WaitingOrder): Order {
  switch (kind) {
    case 'cancel':
      return { kind, orderId, runId, by, attempt, worker };
    case 'reprioritise':
      return { kind, orderId, runId, priority };
    case 'pause':
    case 'resume':
    case 'drain':
    case 'undrain':
      return { kind: 'standing', orderId };
  }
}
