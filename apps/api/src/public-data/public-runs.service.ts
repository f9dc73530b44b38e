import { Inject, Injectable } from '@nestjs/common';
import { isPackageName, isWord, packagePrefix, describe } from '@proctor/contracts';
import { PackageMonths, PackagePages, PublicRuns } from '@proctor/database';
import type { HistoryFilter, RunReader, RunRecord, RemovedRunsOfMonth, RunsOfMonth } from '@proctor/database';
import { maySee } from '../auth/run-reader';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { notFound } from '../http/problem';
import { MissingRuns } from '../runs/missing-runs';
import { RUN_IN_PATH, noSuchRun } from '../http/path-ids';
import { loadPart } from '../http/parts';

/** The parts of a public path that name a package on a suite and architecture. */
export interface PackagePlace {
  suite: string;
  arch: string;
  prefix: string;
  package: string;
}

export interface HistoryPage {
  runs: RunRecord[];
  /** What to ask for the page of older runs with; null when there are none. */
  older: number | null;
}

/** Finds what public paths name. The parts of a path are compared with what is known, and nothing else. */
@Injectable()
export class PublicRunsService {
  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly pages: PackagePages,
    private readonly packageMonths: PackageMonths,
    private readonly missing: MissingRuns,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * @param reader who may see more than public runs
   * @throws Problem 404 for a run that the reader may not know of, that is unknown, or another's than the path says; 410 for one
   * that was removed
   */
  async run(place: PackagePlace, runId: string | number, reader: RunReader = {}): Promise<RunRecord> {
    checkNames(place);
    const id = typeof runId === 'number' ? runId : RUN_IN_PATH.transform(runId);
    const run = await this.publicRuns.find(id);
    if (!run) throw await this.missing.problem(id, reader);
    if (!maySee(reader, run) || !isAt(run, place)) throw noSuchRun(id);
    return run;
  }

  /**
   * The newest finished run without pins or extra sources.
   * @throws Problem 404 for a path that names no package of this deployment
   */
  async latest(place: PackagePlace): Promise<RunRecord | null> {
    checkNames(place);
    const run = await this.publicRuns.latest(place.suite, place.arch, place.package);
    if (!run) this.checkTarget(place);
    return run;
  }

  /**
   * A page of the finished runs, newest first.
   * @param before the last run of the page before; null for the newest
   * @param filter which of them; all without one
   * @throws Problem 404 for a path that names no package of this deployment, and for a `before` that was never given out
   */
  async history(place: PackagePlace, before: number | null, filter?: HistoryFilter): Promise<HistoryPage> {
    checkNames(place);
    const { historyLengthMax } = this.configuration.server;
    const last = before === null ? undefined : await this.finishedRun(place, before);
    const { suite, arch, package: name } = place;
    const part = await loadPart(
      historyLengthMax,
      (limit) =>
        filter
          ? this.pages.history([name, suite, arch], filter, limit, last?.runId ?? null)
          : this.publicRuns.history(suite, arch, name, limit, last?.runId),
      ({ runId }) => runId,
    );
    if (part.rows.length === 0) this.checkTarget(place);
    return { runs: part.rows, older: part.last };
  }

  /**
   * How many runs finished in each month, the oldest first; what was removed since counts.
   * @throws Problem 404 for a path that names no package of this deployment
   */
  async months(place: PackagePlace): Promise<RunsOfMonth[]> {
    checkNames(place);
    const months = await this.packageMonths.of(place);
    if (months.length === 0) this.checkTarget(place);
    return months;
  }

  /** How many runs were removed in each of the newest months. The caller has checked that the place exists. */
  removedMonths(place: PackagePlace, months: number): Promise<RemovedRunsOfMonth[]> {
    return this.packageMonths.listRemoved(place, months);
  }

  /**
   * Only a run that the history shows: another's place in it would show when that one finished.
   * @throws Problem 404
   */
  async finishedRun(place: PackagePlace, id: number): Promise<RunRecord> {
    const run = await this.run(place, id);
    if (run.state !== 'finished') throw noSuchRun(id);
    return run;
  }

  /** What was tested stays readable when its suite is no longer tested; without a run, the suite must be there. */
  private checkTarget({ suite, arch }: PackagePlace): void {
    const { suites, architectures } = this.configuration.server;
    if (!suites.includes(suite)) throw notFound(`There is no suite ${describe(suite)}.`);
    if (!architectures.includes(arch)) throw notFound(`There is no architecture ${describe(arch)}.`);
  }
}

/** Nothing that could not be a name reaches the database. */
function checkNames(place: PackagePlace): void {
  const isName = isWord(place.suite) && isWord(place.arch) && isPackageName(place.package);
  if (!isName || place.prefix !== packagePrefix(place.package)) throw notFound('There is no such package.');
}

function isAt(run: RunRecord, place: PackagePlace): boolean {
  return run.package === place.package && run.suite === place.suite && run.arch === place.arch;
}
