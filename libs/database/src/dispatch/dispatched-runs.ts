import {
  crashesOf,
  type Arrivals,
  type CountedPart,
  type CountLimits,
  type DispatchedRun,
  type GrantedLease,
  type LinePlace,
  type LineStretch,
  type LoadedRows,
  type LostAttempt,
  type JournalPosition,
} from '@proctor/dispatch';
import type { Database, Statements } from '../kit/database';
import { AVOID_SORTING, COUNT_BEYOND, GRANTED, LAST_BEYOND, LINES, NEXT_OF_LINE } from './line-statements';
import { ARRIVALS, type LOADED_COLUMNS, SNAPSHOT, UNFINISHED_OF } from './loading-statements';
import type { RowOf, Statement } from '../kit/statement';

type LoadedRun = RowOf<typeof LOADED_COLUMNS>;
type ArrivedRun = typeof ARRIVALS extends Statement<infer Row> ? Row : never;

/** PostgreSQL's largest integer. */
const NO_LIMIT = 2_147_483_647;

/** The lines that one statement reads: less than a second of work, however long the lines are. */
const LINES_AT_A_TIME = 200;
/** A key before those of all lines. */
const BEFORE_ALL: LineKey = ['', '', '', false, 0, 0];

/** Suite, backend, variant, privacy, priority and owner. */
type LineKey = [string, string, string, boolean, number, number];
type RunOfLine = typeof LINES extends Statement<infer Row> ? Row : never;

/**
 * Loads all runs of an architecture that were ever granted, and the first runs of each line of the others. A run that
 * arrives meanwhile may be missing: it is among the arrivals then. A run that is moved meanwhile may be missing or
 * come twice, the second time with its new values: an order about it follows.
 */
export async function unfinishedRuns(
  database: Database,
  arch: string,
  perLineMax: number,
): Promise<Pick<LoadedRows, 'runs' | 'edges'>> {
  const limit = Math.min(perLineMax, NO_LIMIT);
  // Read first. No run is granted meanwhile, because the owner of the architecture is loading; a retried run is a new
  // run.
  const runs = new Map(
    dispatchedRuns(await database.query(GRANTED, [arch, NO_LIMIT])).map((run) => [run.runId, run]),
  );
  const edges: DispatchedRun[] = [];
  for (let after: LineKey | null = BEFORE_ALL; after;) {
    const rows = await linesAfter(database, arch, limit, after);
    const lengths = new Map<number, number>();
    for (const [index, run] of dispatchedRuns(rows).entries()) {
      const { number } = rows[index]!;
      const length = (lengths.get(number) ?? 0) + 1;
      lengths.set(number, length);
      runs.set(run.runId, run);
      if (length === limit) edges.push({ ...run });
    }
    const last = rows.find(({ number }) => number === LINES_AT_A_TIME);
    after = last ? keyOfLine(last) : null;
  }
  return { runs: [...runs.values()].sort((a, b) => a.arrivedAt - b.arrivedAt || a.runId - b.runId), edges };
}

function linesAfter(database: Database, arch: string, limit: number, after: LineKey): Promise<RunOfLine[]> {
  return database.transaction(async (transaction) => {
    await transaction.query(AVOID_SORTING);
    return transaction.query(LINES, [arch, limit, LINES_AT_A_TIME, ...after]);
  });
}

function keyOfLine({ suite, backend, variant, isPrivate, priority, owner }: RunOfLine): LineKey {
  return [suite, backend, variant, isPrivate, priority, owner];
}

/** The next runs of a line after a place in it. */
export async function nextOfLine(
  statements: Statements,
  arch: string,
  { suite, backend, variant, isPrivate, priority, requestor, arrivedAt, runId }: LinePlace,
  limit: number,
): Promise<DispatchedRun[]> {
  const place = [suite, backend, variant, isPrivate, priority, requestor, arrivedAt, runId];
  return dispatchedRuns(await statements.query(NEXT_OF_LINE, [arch, limit, ...place]));
}

/** Counts the runs of each stretch, in parts. */
export async function countBeyond(
  statements: Statements,
  arch: string,
  stretches: LineStretch[],
  { blockRuns, runsMax }: CountLimits,
): Promise<CountedPart[][]> {
  const parts: CountedPart[][] = stretches.map(() => []);
  const rows = await statements.query(COUNT_BEYOND, [arch, jsonOf(stretches), blockRuns, runsMax]);
  const countedBefore = stretches.map(() => 0);
  for (const { stretch, arrivedAt, runId, number } of rows) {
    parts[stretch]!.push({ end: { arrivedAt, runId }, count: number - countedBefore[stretch]! });
    countedBefore[stretch] = number;
  }
  return parts;
}

/** The last run of each line after a place in it. */
export async function lastBeyond(
  statements: Statements,
  arch: string,
  edges: LinePlace[],
): Promise<DispatchedRun[]> {
  const stretches = edges.map((edge) => ({ place: edge, after: edge, upTo: null }));
  return dispatchedRuns(await statements.query(LAST_BEYOND, [arch, jsonOf(stretches)]));
}

function jsonOf(stretches: LineStretch[]): string {
  return JSON.stringify(
    stretches.map(({ place, after, upTo }, stretch) => {
      const { suite, backend, variant, isPrivate, priority, requestor } = place;
      return {
        stretch,
        suite,
        backend,
        variant,
        isPrivate,
        priority,
        requestor,
        afterAt: after.arrivedAt,
        afterRunId: after.runId,
        upToAt: upTo?.arrivedAt ?? null,
        upToRunId: upTo?.runId ?? null,
      };
    }),
  );
}

/** PostgreSQL's snapshot: the transactions that were over at its time. */
type Snapshot = string;

/** How far the runs have been read. */
interface SeenRuns {
  /** All runs that this snapshot shows have been read. */
  upTo: Snapshot;
  /** The position among later runs: of those that the snapshot `first` shows, all up to this run of this transaction have been read. */
  after?: { first: Snapshot; createdIn: number; runId: number } | undefined;
}

/** A snapshot that shows no run. */
const NOTHING_SEEN: Snapshot = '3:3:';

/** A mark after all runs that are visible now. */
export async function seenNow(statements: Statements): Promise<JournalPosition> {
  const [row] = await statements.query(SNAPSHOT);
  return JSON.stringify({ upTo: row!.snapshot } satisfies SeenRuns);
}

export async function arrivedRuns(
  statements: Statements,
  arch: string,
  limit: number,
  position: JournalPosition = JSON.stringify({ upTo: NOTHING_SEEN } satisfies SeenRuns),
): Promise<Arrivals> {
  const { upTo, after } = JSON.parse(position) as SeenRuns;
  const rows = await statements.query(ARRIVALS, [
    ...[arch, limit, upTo],
    ...(after ? [after.createdIn, after.runId] : [0, 0]),
  ]);
  const isAtEnd = rows.length < limit;
  const now = seenAfter({ upTo, after }, rows, isAtEnd);
  // Runs that the first of several readings did not show are found by the next series of readings.
  const more = !isAtEnd || after !== undefined;
  return { runs: dispatchedRuns(rows), position: JSON.stringify(now), more };
}

/** The mark after these rows. At the end of a series, all runs that its first reading showed have been read. */
function seenAfter({ upTo, after }: SeenRuns, rows: ArrivedRun[], isAtEnd: boolean): SeenRuns {
  const first = after?.first ?? rows[0]?.snapshot;
  if (first === undefined || isAtEnd) return { upTo: first ?? upTo };
  const isLater = (a: ArrivedRun, b: ArrivedRun) => a.createdIn - b.createdIn || a.runId - b.runId;
  const { createdIn, runId } = rows.toSorted(isLater).at(-1)!;
  return { upTo, after: { first, createdIn, runId } };
}

/** The runs among `runIds` that are not finished, oldest first. */
export async function unfinishedOf(
  statements: Statements,
  arch: string,
  runIds: number[],
): Promise<DispatchedRun[]> {
  return dispatchedRuns(await statements.query(UNFINISHED_OF, [arch, runIds]));
}

function dispatchedRuns(rows: LoadedRun[]): DispatchedRun[] {
  const words = new Words();
  return rows.map((row) => dispatchedRun(row, words));
}

/**
 * Returns one string object for equal words: each row has its own copies, and a million rows stay in memory for long.
 */
class Words {
  private readonly shared = new Map<string, string>();

  one(word: string): string {
    const sharedWord = this.shared.get(word);
    if (sharedWord !== undefined) return sharedWord;
    this.shared.set(word, word);
    return word;
  }

  oneOrNull(word: string | null): string | null {
    return word === null ? null : this.one(word);
  }
}

/** All fields are written out: copies of whole rows take several times the memory. */
function dispatchedRun(row: LoadedRun, words: Words): DispatchedRun {
  const crashes = crashesOf(row.lost ?? []);
  return {
    runId: row.runId,
    package: words.one(row.package),
    suite: words.one(row.suite),
    arch: words.one(row.arch),
    backend: words.one(row.backend),
    variant: words.one(row.variant),
    priority: row.priority,
    trigger: words.oneOrNull(row.trigger),
    pinPackages: row.pinPackages ?? [],
    extraAptSources: row.extraAptSources ?? [],
    isPrivate: row.isPrivate,
    requestor: words.one(row.requestor),
    arrivedAt: row.arrivedAt,
    waitedMs: row.waitedMs,
    attempt: row.attempt,
    grantEpoch: row.grantEpoch,
    attemptsLost: row.lost?.length ?? 0,
    failedOn: row.lost ? [...new Set(row.lost.map(({ worker }) => worker))].sort() : [],
    lease: leaseOf(row),
    latestWorker: words.oneOrNull(row.latestWorker),
    latestFailed: row.outcome === 'failed',
    latestLost: lostOf(row),
    ...(crashes.length > 0 && { crashes }),
  };
}

function lostOf({ outcome, endedAgoMs, reason }: LoadedRun): LostAttempt | null {
  const isLost = outcome === 'expired' || outcome === 'lost' || outcome === 'failed';
  return isLost && endedAgoMs !== null ? { agoMs: endedAgoMs, reason: reason ?? '' } : null;
}

function leaseOf({ state, latestWorker: worker, incarnation, slot, heldMs }: LoadedRun): GrantedLease | null {
  if (state === 'queued' || worker === null || incarnation === null || slot === null || heldMs === null)
    return null;
  return { worker, incarnation, slot, state, heldMs };
}
