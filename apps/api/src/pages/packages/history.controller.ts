import { Controller, Get, Inject, Param, Query, UseInterceptors } from '@nestjs/common';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { notFound } from '../../http/problem';
import { HistoryWantedPipe } from '../../public-data/history-filter';
import type { HistoryParameters } from '../../public-data/history-filter';
import { PublicAnswerInterceptor } from '../../public-data/public-answer';
import type { PublicAnswer } from '../../public-data/public-answer';
import { PublicRunsService } from '../../public-data/public-runs.service';
import type { PackagePlace } from '../../public-data/public-runs.service';
import { StatusService } from '../../public-data/status.service';
import { runPath } from '../../runs/page-paths';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { PAGE_NUMBER } from '../layout/page-number';
import { badgeWords } from '../layout/sentence';
import { NoteLists } from '../notes/note-lists.service';
import { badge } from './badge';
import { HistoryPageService } from './history-page.service';
import { historyAddress, historyView } from './history-view';
import { placeState } from './package-view';
import { BEFORE_RUN } from '../../http/path-ids';

const BADGE_AGE_SECONDS = 60;

/** The history of a package on one suite and architecture. */
@Controller('packages/:prefix/:package/:suite/:arch')
@Requires('nothing')
export class HistoryController {
  constructor(
    private readonly histories: HistoryPageService,
    private readonly runs: PublicRunsService,
    private readonly status: StatusService,
    private readonly notes: NoteLists,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  @UseInterceptors(PageInterceptor)
  async history(
    @Param() place: PackagePlace,
    @Query(HistoryWantedPipe) filter: HistoryParameters,
    @Query('before', BEFORE_RUN) before: number | null,
    @Query('page', PAGE_NUMBER) page: number | null,
    @CurrentViewer() viewer: Viewer,
  ): Promise<Page | Redirect> {
    const query = { ...filter, before };
    if (page !== null) {
      const begins = await this.histories.pageBegins(place, query, page);
      return { redirectTo: historyAddress(place, query, begins) };
    }
    const history = await this.histories.loadHistory(place, query);
    const { section: notes, updates } = await this.notes.ofPackage(place.package, place, viewer);
    const view = historyView(history, query, this.status.historyWords, this.configuration.server);
    const data = { ...view, notes };
    return history.unfinished.length > 0
      ? { template: 'packages/history', data }
      : {
          template: 'packages/history',
          data,
          updates: [...history.runs.map((run) => run.updatedAt), ...updates],
        };
  }

  /** Redirects to the newest run that counts for the status. */
  @Get('latest')
  @UseInterceptors(PageInterceptor)
  async latest(@Param() place: PackagePlace): Promise<Redirect> {
    const run = await this.runs.latest(place);
    if (!run) throw notFound(`${place.package} has no finished run on ${place.suite}/${place.arch}.`);
    return { redirectTo: runPath(run) };
  }

  @Get('badge.svg')
  @UseInterceptors(PublicAnswerInterceptor)
  async badge(@Param() place: PackagePlace): Promise<PublicAnswer<string>> {
    const run = await this.runs.latest(place);
    const places = run ? [placeState(run, undefined, this.configuration.server.neutral)] : [];
    return {
      content: badge(badgeWords(places)),
      type: 'image/svg+xml',
      updates: run ? [run.updatedAt] : [],
      maxAgeSeconds: BADGE_AGE_SECONDS,
    };
  }
}
