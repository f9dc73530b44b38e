import { Injectable } from '@nestjs/common';
import { isPackageName, type Verdict } from '@proctor/contracts';
import { Database } from '../kit/database';
import { type RunRecord, selectRecords } from '../runs/run-columns';
import type { RunReader } from '../runs/run-search';
import {
  ERROR_LINES,
  IS_BEGUN,
  IS_KNOWN,
  LOOKED_AT,
  MEDIANS,
  OF_PACKAGE,
  OF_TRIGGER,
  type Outcomes,
  type RunArrays,
  RUNS_LOOKED_AT_MAX,
  TRIGGERS,
  UNFINISHED_REFERENCES,
  VERSION,
} from './trigger-statements';

/** A run that was requested to show how a package behaves without anything new. */
export interface ReferenceRun {
  runId: number;
  verdict: Verdict;
  version: string;
  date: Date;
}

/** What the groups of a trigger are made of. A failed run has the newest public reference run of its package and place. */
export interface BriefRun extends Pick<
  RunRecord,
  'runId' | 'package' | 'suite' | 'arch' | 'state' | 'verdict' | 'cancelled' | 'isPrivate' | 'finishedAt'
> {
  /** Null if there is none, and for runs that did not fail. */
  reference: ReferenceRun | null;
  /** The signature of the first error of its log; null if there is none. */
  errorSignature: string | null;
}

/** A run of a trigger. */
export type RunOfTrigger = RunRecord & BriefRun;

/**
 * A word of triggers, with the public runs that have it. The outcomes count its tests: the newest run of each package
 * and place, unless it was cancelled.
 */
export interface Trigger extends Outcomes {
  /** Usually `package/version`. */
  name: string;
  /** Its newest run. */
  runId: number;
  runs: number;
  unfinished: number;
  failedRuns: number;
  suites: string[];
  /** When the oldest and the newest of these runs were requested. */
  firstAt: Date;
  lastAt: Date;
}

interface TriggerPart {
  triggers: Trigger[];
  /** The parameter `before` of the next part; null at the end. */
  before: number | null;
}

/** A package and the place where it is tested. */
export interface TestPlace {
  package: string;
  suite: string;
  arch: string;
}

/** The number of the newest runs of a trigger that are read. A process reads their rows in one piece: more would hold its event loop for long. */
export const TRIGGER_RUNS_MAX = 30_000;

const RECORDS = selectRecords('where r.run_id = any($1::bigint[])');

/** Finds the runs that new versions of packages have triggered. */
@Injectable()
export class TriggerRuns {
  constructor(private readonly database: Database) {}

  /**
   * A text that changes with each change of the runs that have the word in their trigger and that the reader may see;
   * empty if there are none.
   */
  async version(name: string, { everything = false, keyId, userName }: RunReader): Promise<string> {
    const reader = [everything, keyId ?? null, userName ?? null];
    const [row] = await this.database.query(VERSION, [name, TRIGGER_RUNS_MAX, ...reader]);
    return row?.version ?? '';
  }

  /** The newest runs that have a word in their trigger, newest first. */
  async of(name: string, { everything = false, keyId, userName }: RunReader): Promise<BriefRun[]> {
    const reader = [everything, keyId ?? null, userName ?? null];
    const [row] = await this.database.query(OF_TRIGGER, [name, TRIGGER_RUNS_MAX, ...reader]);
    return runsIn(row!);
  }

  /** These runs with all of their fields, in the same order; without those that were deleted meanwhile. */
  async whole(runs: BriefRun[]): Promise<RunOfTrigger[]> {
    if (runs.length === 0) return [];
    const records = await this.database.query(RECORDS, [runs.map(({ runId }) => runId)]);
    const byId = new Map(records.map((record) => [record.runId, record]));
    return runs.flatMap(({ runId, reference, errorSignature }) => {
      const record = byId.get(runId);
      return record ? [{ ...record, reference, errorSignature }] : [];
    });
  }

  /**
   * Words of the triggers of public runs, except references, sorted by their newest run, newest first.
   * @param part a package, or the beginning of `package/version`: all first words of triggers that begin with it,
   * however old, if there are any. Otherwise characters that a word among the newest runs contains; empty: all
   * @param before only words whose newest run has a lower id
   */
  async list(part: string, limit: number, before: number | null): Promise<TriggerPart> {
    const range = rangeOf(part);
    if (range && (await this.database.query(IS_BEGUN, range)).length > 0) {
      const triggers = await this.database.query(OF_PACKAGE, [limit + 1, before, ...range]);
      const page = triggers.slice(0, limit);
      return { triggers: page, before: triggers.length > limit ? page.at(-1)!.runId : null };
    }
    const triggers = await this.database.query(TRIGGERS, [limit, before, part]);
    if (triggers.length === limit) return { triggers, before: triggers.at(-1)!.runId };
    const [looked] = await this.database.query(LOOKED_AT, [before]);
    const { runs, oldest } = looked!;
    return { triggers, before: runs === RUNS_LOOKED_AT_MAX ? oldest : null };
  }

  /** Whether a public run has the word in its trigger. */
  async isKnown(name: string): Promise<boolean> {
    return (await this.database.query(IS_KNOWN, [name])).length > 0;
  }

  /** The line with the first error in the log of each run; runs without an error are absent. */
  async errorLines(runIds: number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await this.database.query(ERROR_LINES, [runIds]);
    return new Map(rows.map(({ runId, line }) => [runId, line]));
  }

  /** The median duration of tests of public runs, in seconds, in the order of the places; null if unknown. */
  async medianSeconds(places: TestPlace[]): Promise<(number | null)[]> {
    const rows = await this.database.query(MEDIANS, arraysOf(places));
    const byPlace = new Map(rows.map(({ place, seconds }) => [place, seconds]));
    return places.map((_, index) => byPlace.get(index + 1) ?? null);
  }

  /** Unfinished public references, in the order of the places; null if there is none. */
  async unfinishedReferences(places: TestPlace[]): Promise<(number | null)[]> {
    const rows = await this.database.query(UNFINISHED_REFERENCES, arraysOf(places));
    const byPlace = new Map(rows.map(({ place, runId }) => [place, runId]));
    return places.map((_, index) => byPlace.get(index + 1) ?? null);
  }
}

/** The runs of these arrays, in the same order. */
function runsIn(arrays: RunArrays): BriefRun[] {
  const privateRuns = new Set(arrays.privateRunId);
  let failures = 0;
  return arrays.runId.map((runId, at): BriefRun => {
    const finishedAt = arrays.finishedAt[at] ?? null;
    return {
      runId,
      package: arrays.package[at]!,
      suite: arrays.suite[at]!,
      arch: arrays.arch[at]!,
      ...stateOf(arrays.end[at]!),
      isPrivate: privateRuns.has(runId),
      finishedAt: finishedAt === null ? null : new Date(finishedAt),
      ...(arrays.failedRunId[failures] === runId ? failureIn(arrays, failures++) : NO_FAILURE),
    };
  });
}

function stateOf(end: RunArrays['end'][number]): Pick<BriefRun, 'state' | 'verdict' | 'cancelled'> {
  if (end === 'queued' || end === 'leased' || end === 'running')
    return { state: end, verdict: null, cancelled: false };
  if (end === 'cancelled') return { state: 'finished', verdict: 'tmpfail', cancelled: true };
  return { state: 'finished', verdict: end, cancelled: false };
}

type Failure = Pick<BriefRun, 'errorSignature' | 'reference'>;

const NO_FAILURE: Failure = { errorSignature: null, reference: null };

function failureIn(arrays: RunArrays, at: number): Failure {
  const runId = arrays.referenceRunId[at] ?? null;
  return {
    errorSignature: arrays.errorSignature[at] ?? null,
    reference:
      runId === null
        ? null
        : {
            runId,
            verdict: arrays.referenceVerdict[at]!,
            version: arrays.referenceVersion[at] ?? 'n/a',
            date: new Date(arrays.referenceAt[at]!),
          },
  };
}

/** The range of all words that begin with this part; null if an index has no such range. */
function rangeOf(part: string): [from: string, below: string] | null {
  if (isPackageName(part)) return [`${part}/`, `${part}0`];
  return isPackageName(part.split('/')[0]!) && part.includes('/') ? [part, `${part}\u{10FFFF}`] : null;
}

function arraysOf(places: TestPlace[]): string[][] {
  return [
    places.map((place) => place.package),
    places.map(({ suite }) => suite),
    places.map(({ arch }) => arch),
  ];
}
