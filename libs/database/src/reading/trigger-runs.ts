import { Injectable } from '@nestjs/common';
import { isPackageName, type Verdict } from '@proctor/contracts';
import { Database } from '../kit/database';
import type { RunRecord } from '../runs/run-columns';
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
  RUNS_LOOKED_AT_MAX,
  TOTALS,
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

/** A run of a trigger. A failed run has the newest public reference run of its package and place. */
export interface RunOfTrigger extends RunRecord {
  /** Null if there is none, and for runs that did not fail. */
  reference: ReferenceRun | null;
  /** The signature of the first error of its log; null if there is none. */
  errorSignature: string | null;
}

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

/** The number of tests of a trigger with each outcome on an architecture. */
export interface TriggerTotal extends Outcomes {
  arch: string;
}

export interface TriggerPart {
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

/** The number of the newest runs of a trigger that are read. */
export const TRIGGER_RUNS_MAX = 5_000;

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
  async of(name: string, { everything = false, keyId, userName }: RunReader): Promise<RunOfTrigger[]> {
    const reader = [everything, keyId ?? null, userName ?? null];
    const rows = await this.database.query(OF_TRIGGER, [name, TRIGGER_RUNS_MAX, ...reader]);
    return rows.map(
      ({ referenceRunId: runId, referenceVerdict: verdict, referenceVersion, referenceAt, ...run }) => {
        if (runId === null || verdict === null || referenceAt === null) return { ...run, reference: null };
        return {
          ...run,
          reference: { runId, verdict, version: referenceVersion ?? 'n/a', date: referenceAt },
        };
      },
    );
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

  /**
   * The outcomes of the tests of a trigger on each architecture, by name. The newest run of each package and suite
   * counts, unless it was cancelled.
   */
  totals(name: string, { everything = false, keyId, userName }: RunReader): Promise<TriggerTotal[]> {
    return this.database.query(TOTALS, [name, everything, keyId ?? null, userName ?? null]);
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
