import type { Write } from '@proctor/dispatch';

/**
 * A write as it is sent to the database. A `finish` with `isStart` is also the start of its attempt: one write of
 * each row instead of two.
 */
type TurnWrite = Write | (Extract<Write, { kind: 'finish' }> & { isStart: true });

/**
 * Joins each start with the end of the same attempt, if the end follows.
 * @returns `folded`: the two original writes of each joined write
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
  const joined = writes.flatMap((write): TurnWrite[] => {
    if (withoutStarts.has(write)) return [];
    const start = pairs.get(write);
    if (!start || write.kind !== 'finish') return [write];
    const both = { ...write, isStart: true } as const;
    folded.set(both, [start, write]);
    return [both];
  });
  return { writes: joined, folded };
}

/**
 * Whether the worker itself reported this end. It belongs to the same attempt as the start, because no grant comes
 * between them.
 */
function isOwnEnd(write: Write): boolean {
  return write.kind === 'finish' && write.attemptOutcome === 'finished' && write.worker !== null;
}

/** The ids of the runs that the writes are about, without duplicates, ascending. */
export function runsOf(writes: Write[]): number[] {
  const runIds = new Set(writes.flatMap((write) => ('runId' in write ? [write.runId] : [])));
  return [...runIds].sort((a, b) => a - b);
}

/** The subject of a write, unique among writes of the same kind. */
export function subjectOf(write: Write): number | string {
  if (write.kind === 'ingest-order') return write.orderId;
  if (write.kind === 'usage') return write.requestor;
  return write.kind === 'judge-worker' ? write.worker : write.runId;
}

/**
 * Groups of writes that one statement can make, each about another subject. There are as few groups as possible.
 * Writes about the same subject keep their order; writes about different subjects need none.
 */
export function groupsOf(writes: Write[]): Write[][] {
  const groups: Write[][] = [];
  const placeOf = new Map<number | string, number>();
  for (const write of writes) {
    const thing = thingOf(write);
    const from = (placeOf.get(thing) ?? -1) + 1;
    const groupIndex = groups.findIndex((group, place) => place >= from && group[0]!.kind === write.kind);
    const place = groupIndex === -1 ? groups.push([]) - 1 : groupIndex;
    groups[place]!.push(write);
    placeOf.set(thing, place);
  }
  return groups;
}

/** The subject of a write, unique among writes of all kinds. */
function thingOf(write: Write): number | string {
  return 'runId' in write ? write.runId : `${write.kind} ${subjectOf(write)}`;
}

/**
 * Parts of the groups that can be sent without waiting for answers. If a turn writes to a run twice, the second write
 * depends on whether the first was refused.
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
