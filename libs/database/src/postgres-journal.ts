import { Injectable } from '@nestjs/common';
import {
  type DispatchedRun,
  FenceBroken,
  type Journal,
  type Order,
  StaleEpoch,
  type Write,
} from '@proctor/dispatch';
import { Database, type Statements } from './database';
import { announceUpdate } from './horizon';
import { APPLY, ARRIVALS, EPOCH, FINISHED_ATTEMPT, LOAD, ORDERS } from './journal-statements';

type LoadedRow = Omit<DispatchedRun, 'lease'> & {
  state: 'queued' | 'leased' | 'running';
  incarnation: string | null;
  slot: number | null;
};

/** The rows behind the dispatchers; every write carries its fences in its own statement. */
@Injectable()
export class PostgresJournal implements Journal {
  constructor(private readonly database: Database) {}

  async load(arch: string): Promise<DispatchedRun[]> {
    return (await this.database.query<LoadedRow>(LOAD, [arch])).map(dispatchedRun);
  }

  async arrivals(arch: string, limit: number): Promise<DispatchedRun[]> {
    return (await this.database.query<LoadedRow>(ARRIVALS, [arch, limit])).map(dispatchedRun);
  }

  orders(arch: string, limit: number): Promise<Order[]> {
    return this.database.query<Order>(ORDERS, [arch, limit]);
  }

  async commit(arch: string, epoch: number, writes: Write[]): Promise<void> {
    await this.database.transaction(async (transaction) => {
      // Locked until the commit: an epoch that ends meanwhile waits for this transaction.
      if ((await transaction.query(EPOCH, [arch, epoch])).length === 0) throw new StaleEpoch(arch, epoch);
      if (writes.some((write) => write.kind === 'finish')) await announceUpdate(transaction);
      for (const group of groups(writes)) await apply(transaction, arch, group);
    });
  }

  async finishedAttempt(runId: number): Promise<number | null> {
    const [finished] = await this.database.query<{ attempt: number }>(FINISHED_ATTEMPT, [runId]);
    return finished?.attempt ?? null;
  }
}

/** Writes that one statement can make: neighbours of one kind, each about another run. */
function groups(writes: Write[]): Write[][] {
  const result: Write[][] = [];
  let runIds = new Set<number>();
  for (const write of writes) {
    const group = result.at(-1);
    if (group?.[0]?.kind === write.kind && !runIds.has(write.runId)) {
      group.push(write);
      runIds.add(write.runId);
    } else {
      result.push([write]);
      runIds = new Set([write.runId]);
    }
  }
  return result;
}

async function apply(transaction: Statements, arch: string, group: Write[]): Promise<void> {
  const statement = APPLY[group[0]!.kind];
  const rows = await transaction.query<{ runId: number }>(statement, [JSON.stringify(group), arch]);
  if (rows.length === group.length) return;
  const changed = new Set(rows.map((row) => row.runId));
  throw new FenceBroken(group.find((write) => !changed.has(write.runId))!);
}

function dispatchedRun({ state, incarnation, slot, ...run }: LoadedRow): DispatchedRun {
  const worker = run.latestWorker;
  const held = state !== 'queued' && worker !== null && incarnation !== null && slot !== null;
  return { ...run, lease: held ? { worker, incarnation, slot, state } : null };
}
