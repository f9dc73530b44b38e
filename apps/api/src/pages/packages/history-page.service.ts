import { Inject, Injectable } from '@nestjs/common';
import { PackagePages, PublicRuns } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { loadPart } from '../../http/parts';
import { notFound } from '../../http/problem';
import { historyFilter } from '../../public-data/history-filter';
import { PublicRunsService } from '../../public-data/public-runs.service';
import type { PackagePlace } from '../../public-data/public-runs.service';
import type { HistoryPageQuery, HistoryData } from './history-view';
import { PackagePageService } from './package-page.service';

const UNFINISHED_SHOWN_MAX = 200;
const RUNS_SHOWN_MAX = 200;
const MONTHS_SHOWN_MAX = 24;
/** Numbered pages after this one are refused: finding their first run means counting all rows before it. */
const PAGES_MAX = 100;

/** Loads the data of a history page. */
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
   * @throws Problem 404 when the path has an unknown name, when the package has no public run, and when
   * `before` is not a finished run of this history
   */
  async loadHistory(place: PackagePlace, query: HistoryPageQuery): Promise<HistoryData> {
    const { neutral } = this.configuration.server;
    const { before } = query;
    const at: [string, string, string] = [place.package, place.suite, place.arch];
    const filter = historyFilter(query, neutral);
    const latest = await this.runs.latest(place);
    if (before !== null) await this.runs.finishedRun(place, before);
    const read = (limit: number) => this.pages.history(at, filter, limit, before);
    const [{ rows: runs, last }, statuses, unfinished] = await Promise.all([
      loadPart(this.limit, read, ({ runId }) => runId),
      this.publicRuns.packageStatuses([place.package]),
      this.pages.listUnfinished(place.package, UNFINISHED_SHOWN_MAX),
    ]);
    // Removed runs are shown after the oldest run. They cannot be filtered, so a filter hides them.
    const isWhole = last === null && !query.status && !query.trigger && !query.pinned;
    const removed = isWhole ? await this.runs.removedMonths(place, MONTHS_SHOWN_MAX) : [];
    if (!latest && runs.length === 0 && removed.length === 0) await this.packages.checkKnown(place.package);
    const here = unfinished.filter((run) => isAt(run, place));
    return {
      place,
      runs,
      last,
      removed,
      latest,
      unfinished: here,
      doneInMs: await this.packages.doneInMs(here),
      status: statuses.find((status) => isAt(status, place)),
    };
  }

  /**
   * The last run before a numbered page (addresses of debci have page numbers); null for page 1.
   * @throws Problem 404 when the history has no such page, and when the number is above PAGES_MAX
   */
  async pageBegins(place: PackagePlace, query: HistoryPageQuery, page: number): Promise<number | null> {
    // Checks the names in the path.
    await this.runs.latest(place);
    if (page === 1) return null;
    const filter = historyFilter(query, this.configuration.server.neutral);
    const at: [string, string, string] = [place.package, place.suite, place.arch];
    const before = page > PAGES_MAX ? null : await this.pages.runBehind(at, filter, (page - 1) * this.limit);
    if (before !== null) return before;
    throw notFound(
      page > PAGES_MAX
        ? `page must be at most ${PAGES_MAX}, not ${page}: use the links on the pages to reach older runs.`
        : `This history has no page ${page}.`,
    );
  }

  private get limit(): number {
    return Math.min(this.configuration.server.historyLengthMax, RUNS_SHOWN_MAX);
  }
}

function isAt({ suite, arch }: Pick<PackagePlace, 'suite' | 'arch'>, place: PackagePlace): boolean {
  return suite === place.suite && arch === place.arch;
}
