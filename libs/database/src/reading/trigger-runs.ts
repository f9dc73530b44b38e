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
  RUNS_LOOKED_AT_MAX,
  TOTALS,
  TRIGGERS,
  UNFINISHED_REFERENCES,
  VERSION,
} from './trigger-statements';

/** A run that was requested to show how a package is without anything new. */
export interface ReferenceRun {
  runId: number;
  verdict: Verdict;
  version: string;
  date: Date;
}

/** A run of a trigger; of a failed one, the newest public run of its package and place that was asked for as a reference. */
export interface RunOfTrigger extends RunRecord {
  /** Null where there is none, and of runs that have not failed. */
  reference: ReferenceRun | null;
  /** Of the first error of its log; null where there is none. */
  errorSignature: string | null;
}

/** A word of triggers, with the public runs that have it. */
export interface Trigger {
  /** As a rule `package/version`. */
  name: string;
  /** Its newest run. */
  runId: number;
  runs: number;
  unfinished: number;
  failed: number;
  /** When the oldest and the newest of them were asked for. */
  firstAt: Date;
  lastAt: Date;
}

/** Tests of a trigger on an architecture. */
export interface TriggerTotal {
  arch: string;
  tests: number;
  waiting: number;
}

export interface TriggerPart {
  triggers: Trigger[];
  /** What the next part is asked for with; null at the end. */
  before: number | null;
}

/** What a package is tested on. */
export interface TestPlace {
  package: string;
  suite: string;
  arch: string;
}

/** Runs of a trigger that are looked at, the newest. */
export const TRIGGER_RUNS_MAX = 5_000;

/** Finds the runs that new versions of packages have triggered. */
@Injectable()
export class TriggerRuns {
  constructor(private readonly database: Database) {}

  /**
   * What differs after each change of runs that have a word in their trigger and that the reader may see; empty without any.
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
   * Words of the triggers of public runs, but for references, by their newest run, the newest first.
   * @param part a package, or how `package/version` begins: all of these that a trigger begins with, however old, if there are any; else
   *   characters that words among the newest runs have in them; empty: all
   * @param before only those whose newest run has a lower id
   */
  async list(part: string, limit: number, before: number | null): Promise<TriggerPart> {
    const range = rangeOf(part);
    if (range && (await this.database.query(IS_BEGUN, range)).length > 0) {
      const triggers = await this.database.query(OF_PACKAGE, [limit + 1, before, ...range]);
      const shown = triggers.slice(0, limit);
      return { triggers: shown, before: triggers.length > limit ? shown.at(-1)!.runId : null };
    }
    const triggers = await this.database.query(TRIGGERS, [limit, before, part]);
    if (triggers.length === limit) return { triggers, before: triggers.at(-1)!.runId };
    const [looked] = await this.database.query(LOOKED_AT, [before]);
    const { runs, oldest } = looked!;
    return { triggers, before: runs === RUNS_LOOKED_AT_MAX ? oldest : null };
  }

  /**
   * How many tests a trigger has on each architecture, by name: of each package and suite the newest run, unless that was cancelled.
   */
  totals(name: string, { everything = false, keyId, userName }: RunReader): Promise<TriggerTotal[]> {
    return this.database.query(TOTALS, [name, everything, keyId ?? null, userName ?? null]);
  }

  /** Whether a public run has the word in its trigger. */
  async isKnown(name: string): Promise<boolean> {
    return (await this.database.query(IS_KNOWN, [name])).length > 0;
  }

  /** The line of each run's log that has its first error; runs without one are left out. */
  async errorLines(runIds: number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await this.database.query(ERROR_LINES, [runIds]);
    return new Map(rows.map(({ runId, line }) => [runId, line]));
  }

  /**
   * How long tests take as a rule, in seconds, of public runs; in the order of the places, null where it is not known.
   */
  async medianSeconds(places: TestPlace[]): Promise<(number | null)[]> {
    const rows = await this.database.query(MEDIANS, arraysOf(places));
    const known = new Map(rows.map(({ place, seconds }) => [place, seconds]));
    return places.map((_, index) => known.get(index + 1) ?? null);
  }

  /** Public references that have not finished; in the order of the places, null where there is none. */
  async unfinishedReferences(places: TestPlace[]): Promise<(number | null)[]> {
    const rows = await this.database.query(UNFINISHED_REFERENCES, arraysOf(places));
    const known = new Map(rows.map(({ place, runId }) => [place, runId]));
    return places.map((_, index) => known.get(index + 1) ?? null);
  }
}

/** The range of all words that begin with this part; null where an index cannot give such a range. */
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
