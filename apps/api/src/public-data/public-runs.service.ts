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

/** The parts of a public path that name a package, a suite and an architecture. */
export interface PackagePlace {
  suite: string;
  arch: string;
  prefix: string;
  package: string;
}

interface HistoryPage {
  runs: RunRecord[];
  /** The value of `before` for the page of older runs; null if there are none. */
  older: number | null;
}

/** Finds runs by public paths. It compares the parts of a path only with existing values. */
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
   * @param reader may see private runs, too
   * @throws Problem 404 if the run is unknown, belongs to another place than the path, or the reader may not know of
   * it; 410 if it was removed
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
   * @throws Problem 404 if this deployment has no such package
   */
  async latest(place: PackagePlace): Promise<RunRecord | null> {
    checkNames(place);
    const run = await this.publicRuns.latest(place.suite, place.arch, place.package);
    if (!run) this.checkTarget(place);
    return run;
  }

  /**
   * A page of the finished runs, newest first.
   * @param before the last run of the previous page; null for the newest
   * @param filter by default all runs
   * @throws Problem 404 if this deployment has no such package, or no run has the id `before`
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
   * How many runs finished in each month, the oldest first; removed runs count.
   * @throws Problem 404 if this deployment has no such package
   */
  async months(place: PackagePlace): Promise<RunsOfMonth[]> {
    checkNames(place);
    const months = await this.packageMonths.of(place);
    if (months.length === 0) this.checkTarget(place);
    return months;
  }

  /** How many runs were removed in each of the newest months. The caller checks that the place exists. */
  removedMonths(place: PackagePlace, months: number): Promise<RemovedRunsOfMonth[]> {
    return this.packageMonths.listRemoved(place, months);
  }

  /**
   * A finished run only: the place of another in the history would reveal when it finished.
   * @throws Problem 404 if the run has not finished; the errors of `run`
   */
  async finishedRun(place: PackagePlace, id: number): Promise<RunRecord> {
    const run = await this.run(place, id);
    if (run.state !== 'finished') throw noSuchRun(id);
    return run;
  }

  /** Results stay readable when their suite is no longer tested; without a run, the suite must be configured. */
  private checkTarget({ suite, arch }: PackagePlace): void {
    const { suites, architectures } = this.configuration.server;
    if (!suites.includes(suite)) throw notFound(`There is no suite ${describe(suite)}.`);
    if (!architectures.includes(arch)) throw notFound(`There is no architecture ${describe(arch)}.`);
  }
}

/** Impossible names do not reach the database. */
function checkNames(place: PackagePlace): void {
  const isName = isWord(place.suite) && isWord(place.arch) && isPackageName(place.package);
  if (!isName || place.prefix !== packagePrefix(place.package)) throw notFound('There is no such package.');
}

function isAt(run: RunRecord, place: PackagePlace): boolean {
  return run.package === place.package && run.suite === place.suite && run.arch === place.arch;
}
