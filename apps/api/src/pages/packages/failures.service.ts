import { Inject, Injectable } from '@nestjs/common';
import { type StoredTestbed, PackagePages, RunTestbeds } from '@proctor/database';
import { packageDifference } from '@proctor/result-files';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { obstacleTo } from '../../runs/obstacle';
import type { Viewer } from '../../sessions/viewer';
import { NoteLists } from '../notes/note-lists.service';
import type { FailingPlace } from './failure-view';
import type { PackageData } from './package-view';

/** The page shows details for this many failing places, and only links for the others. */
const FAILURES_DETAILED_MAX = 12;

/** Loads the details of the places where a package fails. */
@Injectable()
export class Failures {
  constructor(
    private readonly pages: PackagePages,
    private readonly testbeds: RunTestbeds,
    private readonly notes: NoteLists,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * Returns at most FAILURES_DETAILED_MAX places where the newest run failed. The number of SQL statements does
   * not grow with the number of places.
   */
  async of(
    { latest, statuses }: Pick<PackageData, 'latest' | 'statuses'>,
    viewer: Viewer,
  ): Promise<FailingPlace[]> {
    const failing = latest.filter(({ verdict }) => verdict === 'fail').slice(0, FAILURES_DETAILED_MAX);
    if (failing.length === 0) return [];
    const places = failing.map((run) => ({
      run,
      status: statuses.find(({ suite, arch }) => suite === run.suite && arch === run.arch),
    }));
    const compared = places.flatMap(({ status: at }) =>
      at?.failingSince && at.lastPass ? [at.failingSince.runId, at.lastPass.runId] : [],
    );
    const [errors, testbeds, notes] = await Promise.all([
      this.pages.errorsOf(failing.map(({ runId }) => runId)),
      this.testbeds.of(compared),
      this.notes.ofRuns(failing, viewer),
    ]);
    return places.map(({ run, status: at }) => ({
      run,
      status: at,
      changedPackages: changedBetween(testbeds, at?.lastPass?.runId, at?.failingSince?.runId),
      error: errors.get(run.runId) ?? null,
      notes: notes.get(run.runId) ?? [],
      mayBeRetried: obstacleTo(run, this.configuration) === null,
    }));
  }
}

/** The number of packages whose version differs between two runs; null when the packages of one run are not stored. */
function changedBetween(
  testbeds: ReadonlyMap<number, StoredTestbed>,
  passed: number | undefined,
  failedRunId: number | undefined,
): number | null {
  const [before, after] = [passed, failedRunId].map((runId) =>
    runId === undefined ? null : testbeds.get(runId)?.packages,
  );
  return before && after ? packageDifference(before, after).changed.length : null;
}
