import type { Arrivals, DispatchedRun, GrantedLease, LostAttempt, Seen } from '@proctor/dispatch';
import type { Statements } from './database';
import {
  ARRIVALS,
  FIRST_PAGE,
  type LOADED_COLUMNS,
  NEXT_PAGE,
  SNAPSHOT,
  UNFINISHED_OF,
} from './loading-statements';
import type { RowOf, Statement } from './statement';

type LoadedRun = RowOf<typeof LOADED_COLUMNS>;
type ArrivedRun = typeof ARRIVALS extends Statement<infer Row> ? Row : never;

/** Rows that are read at a time. */
const PAGE_LENGTH = 20_000;

/** All of an architecture, oldest first. One that arrives meanwhile may be missing: it is among the arrivals then. */
export async function unfinishedRuns(statements: Statements, arch: string): Promise<DispatchedRun[]> {
  const words = new Words();
  const runs: DispatchedRun[] = [];
  let page = await statements.query(FIRST_PAGE, [arch, PAGE_LENGTH]);
  for (;;) {
    for (const row of page) runs.push(dispatchedRun(row, words));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_LENGTH) return runs;
    page = await statements.query(NEXT_PAGE, [arch, PAGE_LENGTH, last.arrivedAt, last.runId]);
  }
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
    attemptsLost: row.lostBy?.length ?? 0,
    failedOn: row.lostBy ? [...new Set(row.lostBy)].sort() : [],
    lease: leaseOf(row),
    latestWorker: words.oneOrNull(row.latestWorker),
    latestFailed: row.outcome === 'failed',
    latestLost: lostOf(row),
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
