import { Injectable } from '@nestjs/common';
import {
  type Arrivals,
  type AttemptOfWorker,
  type CountedPart,
  type CountLimits,
  type DispatchedRun,
  type Journal,
  type LinePlace,
  type LineStretch,
  type LoadedRows,
  type Order,
  PACKAGES_REMEMBERED_MAX,
  type RegisteredWorker,
  type ReportState,
  type JournalPosition,
  StaleEpoch,
  type Restrictions,
  type Write,
  WriteRefused,
} from '@proctor/dispatch';
import { REPORT_STATE } from './awaited-reports';
import { Database, type Statements } from '../kit/database';
import { drainsToKeep, pausesOf } from './decided';
import {
  arrivedRuns,
  countBeyond,
  lastBeyond,
  nextOfLine,
  seenNow,
  unfinishedOf,
  unfinishedRuns,
} from './dispatched-runs';
import { recordUpdateTime } from '../kit/horizon';
import { APPLY } from './journal-statements';
import * as loading from './loading-statements';
import { orderOf, ORDERS } from './orders';
import { EPOCH, LIMIT_TURN, LOCK_RUNS } from './turn-statements';
import { foldStarts, groupsOf, partsOf, runsOf, subjectOf } from './turn-writes';
import { DatabaseUnavailable, isUnstorable } from '../kit/unavailable';

/** The dispatchers' journal in PostgreSQL. Every write has its fence in the same statement. */
@Injectable()
export class PostgresJournal implements Journal {
  private counting: Promise<unknown> = Promise.resolve();

  constructor(private readonly database: Database) {}

  async load(arch: string, usageHalfLifeMs: number, perLineMax = Infinity): Promise<LoadedRows> {
    const { database } = this;
    // Taken before the runs are read: a run that is committed meanwhile may come twice, but is not missed.
    const position = await seenNow(database);
    return {
      position,
      ...(await unfinishedRuns(database, arch, perLineMax)),
      restrictions: await this.restrictions(arch),
      workers: await this.workers(),
      judgements: await database.query(loading.JUDGEMENTS, [arch]),
      usage: await database.query(loading.USAGE, [arch, usageHalfLifeMs]),
      durations: await database.query(loading.DURATIONS, [arch, PACKAGES_REMEMBERED_MAX]),
    };
  }

  listUnfinished(arch: string, runIds: number[]): Promise<DispatchedRun[]> {
    return unfinishedOf(this.database, arch, runIds);
  }

  async restrictions(arch: string): Promise<Restrictions> {
    return this.database.entities(async (manager) => ({
      pauses: await pausesOf(manager, arch),
      drains: await drainsToKeep(manager),
    }));
  }

  workers(): Promise<RegisteredWorker[]> {
    return this.database.query(loading.REGISTERED_WORKERS);
  }

  nextOfLine(arch: string, after: LinePlace, limit: number): Promise<DispatchedRun[]> {
    return nextOfLine(this.database, arch, after, limit);
  }

  countBeyond(arch: string, stretches: LineStretch[], limits: CountLimits): Promise<CountedPart[][]> {
    // One count at a time, over all architectures: turns should not wait for them.
    const counts = this.counting.then(() => countBeyond(this.database, arch, stretches, limits));
    this.counting = counts.catch(() => undefined);
    return counts;
  }

  lastBeyond(arch: string, edges: LinePlace[]): Promise<DispatchedRun[]> {
    return lastBeyond(this.database, arch, edges);
  }

  arrivals(arch: string, limit: number, position?: JournalPosition): Promise<Arrivals> {
    return arrivedRuns(this.database, arch, limit, position);
  }

  async orders(arch: string, limit: number): Promise<Order[]> {
    return (await this.database.query(ORDERS, [arch, limit])).map(orderOf);
  }

  commit(arch: string, epoch: number, writes: Write[], timeoutMs?: number): Promise<Write[]> {
    const endMs = performance.now() + (timeoutMs ?? Infinity);
    return this.database.transaction(async (unlimited) => {
      const transaction = until(endMs, unlimited);
      const refusedWrites = new RefusedWrites();
      const turn = foldStarts(writes);
      const parts = partsOf(groupsOf(turn.writes));
      const beginning = beginTurn(transaction, writes, timeoutMs);
      for (const part of parts.slice(0, -1))
        await answersInOrder([beginning, refusedWrites.apply(part, transaction, arch)]);
      // Sent last because it locks the row: see EPOCH.
      const [, , inForce] = await answersInOrder([
        beginning,
        refusedWrites.apply(parts.at(-1) ?? [], transaction, arch),
        transaction.query(EPOCH, [arch, epoch]),
      ]);
      if (inForce.length === 0) throw new StaleEpoch(arch, epoch);
      checkTime(endMs);
      return refusedWrites.writes.flatMap((write) => turn.folded.get(write) ?? [write]);
    });
  }

  async reportState({ runId, attempt, worker, grantEpoch }: AttemptOfWorker): Promise<ReportState> {
    const parameters = [runId, attempt, worker, grantEpoch ?? null];
    const [row] = await this.database.query(REPORT_STATE, parameters);
    return row?.state ?? 'foreign';
  }
}

/**
 * Statements that do not begin after `endMs` of this process's clock: when a dispatcher has given up the turn, no
 * part of it may follow.
 */
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

/**
 * The answers to statements that were sent in this order. After a failed statement the server refuses those that
 * follow, and their errors may arrive first.
 * @throws the first failure in the order of sending
 */
async function answersInOrder<const Sent extends readonly unknown[]>(
  answers: Sent,
): Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }> {
  await Promise.allSettled(answers);
  return Promise.all(answers);
}

/**
 * Prepares the transaction for the writes of a turn: sets its time limit, locks its runs and announces the update
 * time.
 */
async function beginTurn(transaction: Statements, writes: Write[], timeoutMs?: number): Promise<void> {
  const runIds = runsOf(writes);
  await answersInOrder([
    timeoutMs !== undefined && transaction.query(LIMIT_TURN, [String(Math.ceil(timeoutMs))]),
    runIds.length > 1 && transaction.query(LOCK_RUNS, [runIds]),
    runIds.length > 0 && recordUpdateTime(transaction),
  ]);
}

/** The writes of a turn that were not made. */
class RefusedWrites {
  readonly writes: Write[] = [];
  private readonly runIds = new Set<number>();

  /**
   * Makes the writes of these groups, except those that follow a refused write of their run. Sends all of them before
   * it waits.
   */
  async apply(groups: Write[][], transaction: Statements, arch: string): Promise<void> {
    const tried = groups.map((group) => this.withoutFollowing(group)).filter(({ length }) => length > 0);
    const changedRows = await answersInOrder(tried.map((group) => apply(transaction, arch, group)));
    for (const [place, group] of tried.entries()) this.add(group, changedRows[place]!);
  }

  private withoutFollowing(group: Write[]): Write[] {
    if (this.runIds.size === 0) return group;
    const isFollowing = (write: Write): boolean => 'runId' in write && this.runIds.has(write.runId);
    this.writes.push(...group.filter(isFollowing));
    return group.filter((write) => !isFollowing(write));
  }

  private add(tried: Write[], changedRows: ReadonlySet<number | string>): void {
    if (changedRows.size === tried.length) return;
    for (const write of tried) {
      if (changedRows.has(subjectOf(write))) continue;
      this.writes.push(write);
      if ('runId' in write) this.runIds.add(write.runId);
    }
  }
}

/**
 * Makes the writes of one group.
 * @returns the subjects of those whose fence held
 * @throws WriteRefused if a value cannot be stored
 */
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
