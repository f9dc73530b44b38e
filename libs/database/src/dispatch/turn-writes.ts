import type { Write } from '@proctor/dispatch';

/** What a turn has the database do. A finish may be the start of its attempt as well: one write of each row in the place of two. */
export type TurnWrite = Write | (Extract<Write, { kind: 'finish' }> & { isStart: true });

/**
 * The writes with each start that the end of its attempt follows put together with that end.
 * @returns of each that was put together the two that it stands for
 */
export function foldStarts(writes: Write[]): { writes: TurnWrite[]; folded: Map<TurnWrite, Write[]> } {
  const starts = new Map<number, Write>();
  const pairs = new Map<Write, Write>();
  for (const write of writes) {
    if (!('runId' in write)) continue;
    const start = starts.get(write.runId);
    starts.delete(write.runId);
    if (write.kind === 'start') starts.set(write.runId, write);
    else if (start && isOwnEnd(write)) pairs.set(write, start);
  }
  const folded = new Map<TurnWrite, Write[]>();
  const withoutStarts = new Set(pairs.values());
  const made = writes.flatMap((write): TurnWrite[] => {
    if (withoutStarts.has(write)) return [];
    const start = pairs.get(write);
    if (!start || write.kind !== 'finish') return [write];
    const both = { ...write, isStart: true } as const;
    folded.set(both, [start, write]);
    return [both];
  });
  return { writes: made, folded };
}

/** Reported by the worker that has started it; of the same attempt, since no grant comes between. */
function isOwnEnd(write: Write): boolean {
  return write.kind === 'finish' && write.attemptOutcome === 'finished' && write.worker !== null;
}

/** The runs that the writes are about, each once, ascending. */
export function runsOf(writes: Write[]): number[] {
  const runIds = new Set(writes.flatMap((write) => ('runId' in write ? [write.runId] : [])));
  return [...runIds].sort((a, b) => a - b);
}

/** What a write is about; among writes of one kind. */
export function subjectOf(write: Write): number | string {
  if (write.kind === 'ingest-order') return write.orderId;
  if (write.kind === 'usage') return write.requestor;
  return write.kind === 'judge-worker' ? write.worker : write.runId;
}

/**
 * Writes that one statement can make, each about another thing: as few groups as may be, in which those about one thing come in
 * their order. Between writes about different things there is none.
 */
export function groupsOf(writes: Write[]): Write[][] {
  const groups: Write[][] = [];
  const placeOf = new Map<number | string, number>();
  for (const write of writes) {
    const thing = thingOf(write);
    const from = (placeOf.get(thing) ?? -1) + 1;
    const found = groups.findIndex((group, place) => place >= from && group[0]!.kind === write.kind);
    const place = found === -1 ? groups.push([]) - 1 : found;
    groups[place]!.push(write);
    placeOf.set(thing, place);
  }
  return groups;
}

/** What a write is about; among writes of all kinds. */
function thingOf(write: Write): number | string {
  return 'runId' in write ? write.runId : `${write.kind} ${subjectOf(write)}`;
}

/**
 * Groups that can be sent without waiting for the answers of each other: where a run is written about twice, the second write
 * depends on whether its row has refused the first.
 */
export function partsOf(groups: Write[][]): Write[][][] {
  const parts: Write[][][] = [];
  let runIds = new Set<number>();
  for (const group of groups) {
    const ofGroup = runsOf(group);
    if (parts.length === 0 || ofGroup.some((runId) => runIds.has(runId))) {
      parts.push([]);
      runIds = new Set();
    }
    parts.at(-1)!.push(group);
    for (const runId of ofGroup) runIds.add(runId);
  }
  return parts;
}
