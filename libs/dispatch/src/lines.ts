import { PRIORITY_MAX, PRIORITY_MIN } from '@proctor/contracts';
import type { Needs } from './ability';
import { Blocks, type Block } from './blocks';
import type { CountedPart, Stretch } from './journal';
import type { DispatchedRun, LinePlace } from './journal-records';
import { arrivedBefore } from './order';
import type { WindowSettings } from './settings';
import { SortedRuns } from './sorted-runs';
import type { UsageAccount } from './usage';

/**
 * Waiting runs of one suite, backend, variant, privacy, priority and requestor that were never granted, in order of arrival.
 * Memory holds the first of them, up to its edge.
 */
export class Line {
  readonly runs = new SortedRuns();
  /**
   * A copy of the last run in memory: all earlier runs are in memory, no later one is. Null if the whole line is in
   * memory.
   */
  edge: DispatchedRun | null = null;
  /** The counts of runs beyond the edge; null if there are none. */
  blocks: Blocks | null = null;
  /** Memory holds at most this many runs, unless a decision needs more. */
  lengthMax: number;
  /** The requirements of each of its runs on a slot. */
  readonly needs: Needs;

  constructor(
    readonly key: string,
    place: LinePlace,
    readonly account: UsageAccount,
    { runsMax }: WindowSettings,
  ) {
    const { suite, backend, variant, isPrivate } = place;
    this.needs = { suite, backend, variant, sizeClass: null, isPrivate, avoided: [] };
    this.lengthMax = 2 * runsMax;
  }
}

/** A part of a line whose runs must be counted in the rows. */
export interface UncountedPart {
  line: Line;
  block: Block;
  /** Any run of the line. */
  place: LinePlace;
  stretch: Stretch;
}

/** All priorities. */
const PRIORITIES = Array.from(
  { length: PRIORITY_MAX - PRIORITY_MIN + 1 },
  (_none, place) => PRIORITY_MIN + place,
);

/** The lines of an architecture. Only the rows have what lies beyond their edges. */
export class Lines {
  private readonly byKey = new Map<string, Line>();
  private readonly withMore = new Set<Line>();
  private readonly neededLines = new Set<Line>();

  /** @param settings returns the settings in use at the moment of the call */
  constructor(
    private readonly settings: () => WindowSettings,
    private readonly accountOf: (requestor: string) => UsageAccount,
  ) {}

  /** Lines with more waiting runs than memory holds. */
  get beyond(): ReadonlySet<Line> {
    return this.withMore;
  }

  /** Adds a run. @returns false if its place is beyond the edge of its line: then only the rows have it */
  add(run: DispatchedRun): boolean {
    const line = this.lineOf(run);
    if (line.edge && arrivedBefore(line.edge, run)) {
      line.blocks?.touch(run);
      return false;
    }
    line.runs.add(run);
    return true;
  }

  /** Whether only the rows have the run. */
  isBeyond(run: DispatchedRun): boolean {
    const edge = this.byKey.get(keyOf(run))?.edge;
    return isNew(run) && edge != null && arrivedBefore(edge, run);
  }

  remove(run: DispatchedRun): void {
    const line = this.byKey.get(keyOf(run));
    if (!line?.runs.remove(run)) return;
    if (line.runs.size <= this.settings().runsMax) line.lengthMax = 2 * this.settings().runsMax;
    this.removeIfEmpty(line);
  }

  /** Removes and returns the runs that memory should no longer hold after `run` came to its line; its edge is before them now. */
  overflow(run: DispatchedRun): DispatchedRun[] {
    const line = this.byKey.get(keyOf(run));
    if (!line || line.runs.size <= line.lengthMax) return [];
    const [...runs] = line.runs;
    const { runsMax } = this.settings();
    this.setEdge(line, runs[runsMax - 1]!);
    const dropped = runs.slice(runsMax);
    for (const each of dropped) line.runs.remove(each);
    line.lengthMax = 2 * runsMax;
    return dropped;
  }

  /** Requests more runs of the line, because a decision needs them. */
  requireMore(line: Line): void {
    this.neededLines.add(line);
  }

  /** The edges after which rows should be read: of lines that a decision needs, or that have become short. */
  due(): DispatchedRun[] {
    const { refillBelow } = this.settings();
    const isShort = (line: Line) => !this.neededLines.has(line) && line.runs.size < refillBelow;
    const due = [...this.neededLines, ...[...this.withMore].filter(isShort)];
    return due.flatMap(({ edge }) => edge ?? []);
  }

  /**
   * All runs of the line of `after` up to `last` will be added next; if `last` is null, all of the line.
   * @returns false if the edge has changed, so that the read rows are useless
   */
  extend(after: LinePlace, last: DispatchedRun | null): boolean {
    const line = this.byKey.get(keyOf(after));
    if (line?.edge?.runId !== after.runId) return false;
    this.setEdge(line, last);
    this.neededLines.delete(line);
    return true;
  }

  /** All that was read has been added, and memory may hold this many from now on. */
  endExtension(after: LinePlace): void {
    const line = this.byKey.get(keyOf(after));
    if (!line) return;
    line.lengthMax = Math.max(line.lengthMax, 2 * line.runs.size);
    this.removeIfEmpty(line);
  }

  /**
   * A run of the rows has left its line or entered another: any line with its needs and requestor, of any priority.
   */
  markChanged(run: LinePlace): void {
    for (const priority of PRIORITIES)
      for (const isPrivate of [true, false])
        this.byKey.get(keyOf({ ...run, priority, isPrivate }))?.blocks?.touch(run);
  }

  /** The parts that must be counted to know how many runs wait, at most `max`. */
  listUncounted(max: number): UncountedPart[] {
    const uncounted: UncountedPart[] = [];
    for (const line of this.withMore) {
      if (!line.blocks?.isNeeded || !line.edge) continue;
      for (const { block, after, upTo } of line.blocks.stretches()) {
        if (uncounted.length === max) return uncounted;
        uncounted.push({ line, block, place: line.edge, stretch: { after, upTo } });
      }
    }
    return uncounted;
  }

  /** See `Blocks.setCounts`. */
  setCounts({ line, block }: UncountedPart, parts: CountedPart[], isAll: boolean): void {
    line.blocks?.setCounts(block, parts, isAll, this.settings().blockRuns);
  }

  /** Makes this run the edge of the line: the rows have more runs after it. */
  endsAt(run: DispatchedRun): void {
    this.setEdge(this.lineOf(run), run);
  }

  private lineOf(run: LinePlace): Line {
    const key = keyOf(run);
    let line = this.byKey.get(key);
    if (!line)
      this.byKey.set(key, (line = new Line(key, run, this.accountOf(run.requestor), this.settings())));
    return line;
  }

  /** An account stays as long as runs of it wait. The run is copied: it may be granted, or moved to another line. */
  private setEdge(line: Line, edge: DispatchedRun | null): void {
    if (edge && !line.edge) line.account.queues += 1;
    if (!edge && line.edge) line.account.queues -= 1;
    line.edge = edge && { ...edge };
    if (edge) {
      if (line.blocks) line.blocks.startAfter(edge);
      else line.blocks = new Blocks({ arrivedAt: edge.arrivedAt, runId: edge.runId });
      this.withMore.add(line);
    } else {
      line.blocks = null;
      this.withMore.delete(line);
      this.neededLines.delete(line);
    }
  }

  private removeIfEmpty(line: Line): void {
    if (line.runs.size === 0 && !line.edge) this.byKey.delete(line.key);
  }
}

/** Whether the run was never granted, so it waits in a line. */
export function isNew({ attempt }: DispatchedRun): boolean {
  return attempt === 0;
}

/** The key of a line in memory; a space cannot be part of a name. */
export function keyOf({ suite, backend, variant, isPrivate, priority, requestor }: LinePlace): string {
  return `${suite} ${backend} ${variant} ${isPrivate} ${priority} ${requestor}`;
}
