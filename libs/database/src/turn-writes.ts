import type { Write } from '@proctor/dispatch';

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
