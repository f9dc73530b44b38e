import { VERDICTS } from '@proctor/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { PackagePages, PublicRuns } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { PublicRunsService } from '../../public-data/public-runs.service';
import type { PackagePlace } from '../../public-data/public-runs.service';
import { statusOf } from '../../runs/result-object';
import type { HistoryAsked, HistoryKnown } from './history-view';
import { PackagePageService } from './package-page.service';

const UNFINISHED_SHOWN_MAX = 200;
const RUNS_SHOWN_MAX = 200;

/** Gathers what the page of a history shows. */
@Injectable()
export class HistoryPageService {
  constructor(
    private readonly runs: PublicRunsService,
    private readonly pages: PackagePages,
    private readonly publicRuns: PublicRuns,
    private readonly packages: PackagePageService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * @throws Problem 404 for a path that names no package of this deployment, for a package of which no public run was asked
   * for, and for a `before` that was never given out
   */
  async known(place: PackagePlace, asked: HistoryAsked): Promise<HistoryKnown> {
    const { historyLengthMax, neutral } = this.configuration.server;
    const limit = Math.min(historyLengthMax, RUNS_SHOWN_MAX);
    const { status, trigger, pinned, before } = asked;
    const filter = {
      verdicts: status ? VERDICTS.filter((verdict) => statusOf(verdict, neutral) === status) : null,
      trigger: trigger || null,
      isPinned: pinned ? pinned === 'yes' : null,
    };
    const latest = await this.runs.latest(place);
    if (before !== null) await this.runs.finishedRun(place, before);
    const [runs, kept, unfinished] = await Promise.all([
      this.pages.history([place.package, place.suite, place.arch], filter, limit + 1, before),
      this.publicRuns.packageStatuses([place.package]),
      this.pages.unfinished(place.package, UNFINISHED_SHOWN_MAX),
    ]);
    if (!latest && runs.length === 0) await this.packages.checkKnown(place.package);
    return {
      place,
      runs: runs.slice(0, limit),
      hasOlder: runs.length > limit,
      latest,
      unfinished: unfinished.filter((run) => isAt(run, place)),
      kept: kept.find((status) => isAt(status, place)),
    };
  }
}

function isAt({ suite, arch }: Pick<PackagePlace, 'suite' | 'arch'>, place: PackagePlace): boolean {
  return suite === place.suite && arch === place.arch;
}
