import {
  crashesOf,
  type Arrivals,
  type CountedPart,
  type CountLimits,
  type DispatchedRun,
  type GrantedLease,
  type LinePlace,
  type LineStretch,
  type Loaded,
  type LostAttempt,
  type Seen,
} from '@proctor/dispatch';
import type { Database, Statements } from '../kit/database';
import { AVOID_SORTING, COUNT_BEYOND, GRANTED, LAST_BEYOND, LINES, NEXT_OF_LINE } from './line-statements';
import { ARRIVALS, type LOADED_COLUMNS, SNAPSHOT, UNFINISHED_OF } from './loading-statements';
import type { RowOf, Statement } from '../kit/statement';

type LoadedRun = RowOf<typeof LOADED_COLUMNS>;
type ArrivedRun = typeof ARRIVALS extends Statement<infer Row> ? Row : never;

/** PostgreSQL's largest integer. */
const NO_LIMIT = 2_147_483_647;

/** Lines that one statement reads: less than a second's work, however long they are. */
const LINES_AT_A_TIME = 200;
/** Comes before every line. */
const BEFORE_ALL: LineKey = ['', '', '', false, 0, 0];

/** Suite, backend, variant, privacy, priority and owner. */
type LineKey = [string, string, string, boolean, number, number];
type RunOfLine = typeof LINES extends Statement<infer Row> ? Row : never;

/**
 * All runs of an architecture that were ever granted, and the first of each line of the others. One that
 * arrives meanwhile may be missing: it is among the arrivals then. One that is moved meanwhile may be missing
 * or come twice, the last time as it is now: an order follows that says so.
 */
export async function unfinishedRuns(
  database: Database,
  arch: string,
  perLineMax: number,
): Promise<Pick<Loaded, 'runs' | 'edges'>> {
  const limit = Math.min(perLineMax, NO_LIMIT);
  // Before the others: one that is granted meanwhile is not possible, its owner loads; one that is retried is a new run.
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

/** In order of arrival. */
function linesAfter(database: Database, arch: string, limit: number, after: LineKey): Promise<RunOfLine[]> {
  return database.transaction(async (transaction) => {
    await transaction.query(AVOID_SORTING);
    return transaction.query(LINES, [arch, limit, LINES_AT_A_TIME, ...after]);
  });
}

function keyOfLine({ suite, backend, variant, isPrivate, priority, owner }: RunOfLine): LineKey {
  return [suite, backend, variant, isPrivate, priority, owner];
}

/** The next of a line after a place in it. */
export async function nextOfLine(
  statements: Statements,
  arch: string,
  { suite, backend, variant, isPrivate, priority, requestor, arrivedAt, runId }: LinePlace,
  limit: number,
): Promise<DispatchedRun[]> {
  const place = [suite, backend, variant, isPrivate, priority, requestor, arrivedAt, runId];
  return dispatchedRuns(await statements.query(NEXT_OF_LINE, [arch, limit, ...place]));
}

/** The parts of each stretch, in their order. */
export async function countBeyond(
  statements: Statements,
  arch: string,
  stretches: LineStretch[],
  { blockRuns, runsMax }: CountLimits,
): Promise<CountedPart[][]> {
  const parts: CountedPart[][] = stretches.map(() => []);
  const rows = await statements.query(COUNT_BEYOND, [arch, jsonOf(stretches), blockRuns, runsMax]);
  const counted = stretches.map(() => 0);
  for (const { stretch, arrivedAt, runId, number } of rows) {
    parts[stretch]!.push({ end: { arrivedAt, runId }, count: number - counted[stretch]! });
    counted[stretch] = number;
  }
  return parts;
}

/** The last run of each line beyond a place in it. */
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

/** PostgreSQL's snapshot: which transactions were over by then. */
type Snapshot = string;

/** How far runs were read. */
interface SeenRuns {
  /** All runs that it shows were. */
  upTo: Snapshot;
  /** Beyond it, those up to this run of this transaction that the first reading after it showed. */
  after?: { first: Snapshot; createdIn: number; runId: number } | undefined;
}

/** Knows of no run. */
const NOTHING_SEEN: Snapshot = '3:3:';

/** All runs that can be seen now. */
export async function seenNow(statements: Statements): Promise<Seen> {
  const [row] = await statements.query(SNAPSHOT);
  return JSON.stringify({ upTo: row!.snapshot } satisfies SeenRuns);
}

export async function arrivedRuns(
  statements: Statements,
  arch: string,
  limit: number,
  seen: Seen = JSON.stringify({ upTo: NOTHING_SEEN } satisfies SeenRuns),
): Promise<Arrivals> {
  const { upTo, after } = JSON.parse(seen) as SeenRuns;
  const rows = await statements.query(ARRIVALS, [
    ...[arch, limit, upTo],
    ...(after ? [after.createdIn, after.runId] : [0, 0]),
  ]);
  const isAtEnd = rows.length < limit;
  const now = seenAfter({ upTo, after }, rows, isAtEnd);
  // What the first of several readings did not show comes with another first one.
  const more = !isAtEnd || after !== undefined;
  return { runs: dispatchedRuns(rows), seen: JSON.stringify(now), more };
}

/** What the first reading showed has been read when a later one comes to the end. */
function seenAfter({ upTo, after }: SeenRuns, rows: ArrivedRun[], isAtEnd: boolean): SeenRuns {
  const first = after?.first ?? rows[0]?.snapshot;
  if (first === undefined || isAtEnd) return { upTo: first ?? upTo };
  const isLater = (a: ArrivedRun, b: ArrivedRun) => a.createdIn - b.createdIn || a.runId - b.runId;
  const { createdIn, runId } = rows.toSorted(isLater).at(-1)!;
  return { upTo, after: { first, createdIn, runId } };
}

/** Those of the given runs that are not finished, oldest first. */
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

/** Gives equal words as one string: each row brings its own, and a million of them are held for long. */
class Words {
  private readonly known = new Map<string, string>();

  one(word: string): string {
    const known = this.known.get(word);
    if (known !== undefined) return known;
    this.known.set(word, word);
    return word;
  }

  oneOrNull(word: string | null): string | null {
    return word === null ? null : this.one(word);
  }
}

/** Written out, since copies of whole rows take several times the memory. */
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
