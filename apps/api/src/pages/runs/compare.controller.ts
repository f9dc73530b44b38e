import { Controller, Get, Inject, Param, UseInterceptors } from '@nestjs/common';
import { runIdIn } from '@proctor/contracts';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { notFound } from '../../http/problem';
import { ComparisonService } from '../../runs/comparison.service';
import { comparisonPath } from '../../runs/page-paths';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { compareView } from './compare-view';

/** The page that compares two runs. */
@Controller()
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class CompareController {
  constructor(
    private readonly comparisons: ComparisonService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** Compares two runs, as `12...14`. A single run is compared with the last run before it that passed. */
  @Get('compare/:pair')
  async compare(@Param('pair') pair: string, @CurrentViewer() viewer: Viewer): Promise<Page | Redirect> {
    const ids = pair.split('...').map(runIdIn);
    if (ids.length > 2 || ids.includes(null))
      throw notFound(
        'Two runs are compared as /compare/12...14, a run and the last good one before it as /compare/14.',
      );
    const [a, b] = ids as number[];
    if (b === undefined)
      return { redirectTo: comparisonPath(await this.comparisons.lastGoodBefore(a!, viewer.reader), a!) };
    const comparison = await this.comparisons.compare([a!, b], viewer.reader);
    return { template: 'runs/compare', data: compareView(comparison, this.configuration.server.neutral) };
  }
}
