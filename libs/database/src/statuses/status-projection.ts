import { Injectable } from '@nestjs/common';
import { Database, type Statements } from '../kit/database';
import { type Horizon, horizon, raiseHorizon, until, untilAtBest } from '../kit/horizon';
import { durationsOf, encodedStrip, flakinessOf } from './package-status';
import { STATUS_ROW_COLUMNS } from './package-statuses';
import { valuesOf } from '../kit/statement';
import * as statements from './status-projection-statements';

/** Packages and suites of one architecture whose statuses are computed together. */
type Places = { package: string; suite: string }[];

/** A pass over changed runs. It begins at the second up to which all is done, and moves that second at its end. */
interface Pass {
  fromSecond: number;
  horizon: Horizon;
  last: { updatedAt: Date; runId: number } | null;
}

/** The number of changed runs, or of places to fill in, in one transaction. */
const RUNS_PER_STEP = 200;

/**
 * Computes the statuses of packages from runs that end, are corrected or become public. `updated_at` marks each such
 * change, and a horizon says up to which time none is missing. A status is always computed from the present rows, so
 * a repetition, or two processes, change nothing; an interrupted pass is repeated.
 */
@Injectable()
export class StatusProjection {
  private readonly passes = new Map<string, Pass>();

  constructor(private readonly database: Database) {}

  /** Whether a step would find anything to do. */
  async hasNews(arch: string): Promise<boolean> {
    if (this.passes.has(arch)) return true;
    const [row] = await this.database.query(statements.HAS_NEWS, [arch]);
    return row!.hasNews;
  }

  /** Computes some statuses of an architecture. @returns whether there is more to do at once */
  async step(arch: string): Promise<boolean> {
    const pass = this.passes.get(arch) ?? (await this.startPass(arch));
    this.passes.delete(arch);
    const { isDone, mustFill, last } = await this.database.transaction(async (transaction) => {
      const [progress] = await transaction.query(statements.PROGRESS, [arch]);
      const runs = await changedRuns(transaction, arch, pass);
      const { filledPackage, filledSuite } = progress!;
      const unfilled =
        filledPackage === null
          ? []
          : await transaction.query(statements.NEXT_PLACES, [
              arch,
              filledPackage,
              filledSuite,
              RUNS_PER_STEP,
            ]);
      await makeStatuses(transaction, arch, [...runs, ...unfilled]);
      const isDone = runs.length < RUNS_PER_STEP;
      const last = runs.at(-1) ?? pass.last;
      if (isDone) {
        const second = until(pass.fromSecond, last?.updatedAt ?? null, pass.horizon.second);
        await transaction.query(statements.MOVE_PROGRESS, [arch, second]);
      }
      const mustFill = unfilled.length === RUNS_PER_STEP;
      if (filledPackage !== null) {
        const { package: name = null, suite = null } = mustFill ? unfilled.at(-1)! : {};
        await transaction.query(statements.MOVE_FILLED, [arch, name, suite]);
      }
      return { isDone, mustFill, last };
    });
    if (!isDone) this.passes.set(arch, { ...pass, last });
    else if (last && pass.horizon.canRise && untilAtBest(0, last.updatedAt) > pass.horizon.second)
      await raiseHorizon(this.database);
    return !isDone || mustFill;
  }

  private async startPass(arch: string): Promise<Pass> {
    return this.database.inOrder(async (database) => {
      const now = await horizon(database);
      await database.query(statements.BEGIN_PROGRESS, [arch, now.second]);
      const [progress] = await database.query(statements.PROGRESS, [arch]);
      return { fromSecond: progress!.second, horizon: now, last: null };
    });
  }
}

/** The next changed runs of the pass. */
function changedRuns(transaction: Statements, arch: string, { fromSecond, last }: Pass) {
  const { updatedAt, runId } = last ?? { updatedAt: new Date(fromSecond * 1_000), runId: -1 };
  return transaction.query(statements.CHANGED_RUNS, [arch, updatedAt, runId, RUNS_PER_STEP]);
}

/** Computes the statuses of places from the present rows. */
async function makeStatuses(transaction: Statements, arch: string, places: Places): Promise<void> {
  if (places.length === 0) return;
  const placeParameters = [arch, places.map((place) => place.package), places.map(({ suite }) => suite)];
  const [landmarks, runs] = await Promise.all([
    transaction.query(statements.LANDMARKS, placeParameters),
    transaction.query(statements.NEWEST_RUNS, placeParameters),
  ]);
  const byPlace = new Map<string, typeof runs>();
  for (const run of runs.reverse()) {
    const ofPlace = byPlace.get(placeOf(run));
    if (ofPlace) ofPlace.push(run);
    else byPlace.set(placeOf(run), [run]);
  }
  const rows = landmarks.map((landmark) => {
    const ofPlace = byPlace.get(placeOf(landmark)) ?? [];
    const saying = ofPlace.filter(({ isSaying }) => isSaying);
    const strip = encodedStrip(ofPlace.filter(({ isSaying }) => !isSaying));
    return { ...landmark, strip, ...flakinessOf(saying), ...durationsOf(saying) };
  });
  const writtenPlaces = [rows.map((row) => row.package), rows.map(({ suite }) => suite)];
  await Promise.all([
    transaction.query(statements.DROP_STATUSES, [...placeParameters, ...writtenPlaces]),
    transaction.query(statements.KEEP_STATUSES, [...valuesOf(STATUS_ROW_COLUMNS, rows), arch]),
  ]);
}

function placeOf(place: Places[number]): string {
  return `${place.package} ${place.suite}`;
}
