import { Injectable } from '@nestjs/common';
import {
  type AttemptOfWorker,
  type DispatchedRun,
  type Journal,
  type Loaded,
  type Order,
  PACKAGES_REMEMBERED_MAX,
  type RegisteredWorker,
  type ReportState,
  StaleEpoch,
  type Restrictions,
  type Write,
  WriteRefused,
} from '@proctor/dispatch';
import { REPORT_STATE } from './awaited-reports';
import { Database, type Statements } from './database';
import { allDrains, pausesOf } from './decided';
import { arrivedRuns, unfinishedOf, unfinishedRuns } from './dispatched-runs';
import { announceUpdate } from './horizon';
import { APPLY } from './journal-statements';
import * as loading from './loading-statements';
import { orderOf, ORDERS } from './orders';
import { EPOCH, LIMIT_TURN, LOCK_RUNS } from './turn-statements';
import { DatabaseUnavailable, isUnstorable } from './unavailable';

/** The rows behind the dispatchers; every write carries its fences in its own statement. */
@Injectable()
export class PostgresJournal implements Journal {
  constructor(private readonly database: Database) {}

  async load(arch: string, usageHalfLifeMs: number): Promise<Loaded> {
    const { database } = this;
    return {
      runs: await unfinishedRuns(database, arch),
      restrictions: await this.restrictions(arch),
      workers: await this.workers(),
      judgements: await database.query(loading.JUDGEMENTS, [arch]),
      usage: await database.query(loading.USAGE, [arch, usageHalfLifeMs]),
      durations: await database.query(loading.DURATIONS, [arch, PACKAGES_REMEMBERED_MAX]),
    };
  }

  unfinished(arch: string, runIds: number[]): Promise<DispatchedRun[]> {
    return unfinishedOf(this.database, arch, runIds);
  }

  async restrictions(arch: string): Promise<Restrictions> {
    return this.database.entities(async (manager) => ({
      pauses: await pausesOf(manager, arch),
      drains: await allDrains(manager),
    }));
  }

  workers(): Promise<RegisteredWorker[]> {
    return this.database.query(loading.REGISTERED_WORKERS);
  }

  arrivals(arch: string, limit: number): Promise<DispatchedRun[]> {
    return arrivedRuns(this.database, arch, limit);
  }

  async orders(arch: string, limit: number): Promise<Order[]> {
    return (await this.database.query(ORDERS, [arch, limit])).map(orderOf);
  }

  commit(arch: string, epoch: number, writes: Write[], timeoutMs?: number): Promise<Write[]> {
    const endMs = performance.now() + (timeoutMs ?? Infinity);
    return this.database.transaction(async (unlimited) => {
      const transaction = until(endMs, unlimited);
      if (timeoutMs !== undefined) await transaction.query(LIMIT_TURN, [String(Math.ceil(timeoutMs))]);
      const runIds = runsOf(writes);
      if (runIds.length > 1) await transaction.query(LOCK_RUNS, [runIds]);
      if (writes.some(({ kind }) => kind === 'finish' || kind === 'correct'))
        await announceUpdate(transaction);
      const refused = new RefusedWrites();
      for (const group of groups(writes)) {
        const wanted = refused.withoutFollowing(group);
        if (wanted.length > 0) refused.add(wanted, await apply(transaction, arch, wanted));
      }
      // Last, since it locks: see EPOCH.
      if ((await transaction.query(EPOCH, [arch, epoch])).length === 0) throw new StaleEpoch(arch, epoch);
      checkTime(endMs);
      return refused.writes;
    });
  }

  async reportState({ runId, attempt, worker, grantEpoch }: AttemptOfWorker): Promise<ReportState> {
    const parameters = [runId, attempt, worker, grantEpoch ?? null];
    const [found] = await this.database.query(REPORT_STATE, parameters);
    return found?.state ?? 'foreign';
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
  if (write.kind === 'ingest-order') return write.orderId;
  if (write.kind === 'usage') return write.requestor;
  return write.kind === 'judge-worker' ? write.worker : write.runId;
}

/** No statement begins after `endMs` of this process's clock: a dispatcher that gave the turn up must find it over. */
function until(endMs: number, statements: Statements): Statements {
  return {
    query: async (statement, parameters) => {
      checkTime(endMs);
      return statements.query(statement, parameters);
    },
  };
}

function checkTime(endMs: number): void {
  if (performance.now() >= endMs) throw new DatabaseUnavailable(new Error('the turn took too long'));
}

/** The writes of a turn that were left out. */
class RefusedWrites {
  readonly writes: Write[] = [];
  private readonly runIds = new Set<number>();

  /** Those of the group that may still be tried; what follows a refused write of its run is refused, too. */
  withoutFollowing(group: Write[]): Write[] {
    if (this.runIds.size === 0) return group;
    const isFollowing = (write: Write): boolean => 'runId' in write && this.runIds.has(write.runId);
    this.writes.push(...group.filter(isFollowing));
    return group.filter((write) => !isFollowing(write));
  }

  add(tried: Write[], changed: ReadonlySet<number | string>): void {
    if (changed.size === tried.length) return;
    for (const write of tried) {
      if (changed.has(subjectOf(write))) continue;
      this.writes.push(write);
      if ('runId' in write) this.runIds.add(write.runId);
    }
  }
}

/** Answers what the writes are about whose fence held. */
async function apply(
  transaction: Statements,
  arch: string,
  group: Write[],
): Promise<ReadonlySet<number | string>> {
  const statement = APPLY[group[0]!.kind];
  const rows = await transaction.query(statement, [JSON.stringify(group), arch]).catch((error: unknown) => {
    throw isUnstorable(error) ? new WriteRefused(String(error), { cause: error }) : error;
  });
  return new Set(rows.map((row) => row.id));
}
