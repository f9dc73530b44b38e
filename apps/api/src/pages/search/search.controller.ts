import { Controller, Get, Header, Query, UseInterceptors } from '@nestjs/common';
import { Requires } from '../../auth/authentication.middleware';
import { queryValue, text } from '../../http/parameter-values';
import { CurrentViewer, Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import type { Hit } from './tested-packages';
import { type SearchResult, SearchService } from './search.service';

const QUERY_LENGTH_MAX = 200;

/** The parameter `query`. Case and spaces around it do not matter. */
const QUERY = queryValue((parameter, name) => text(QUERY_LENGTH_MAX)(parameter, name).trim(), '');

const HEADINGS = [
  ['runs', 'Runs'],
  ['packages', 'Packages'],
  ['nearPackages', 'Packages with a similar name'],
  ['triggers', 'Triggers'],
  ['workers', 'Workers'],
  ['errors', 'Errors in logs'],
  ['ownRuns', 'Your runs'],
] as const satisfies [keyof SearchResult, string][];

/** The search from the top of every page. `-` is never the prefix of a package. */
@Controller()
@Requires('nothing')
export class SearchController {
  constructor(private readonly search: SearchService) {}

  /**
   * Redirects to the package or trigger whose whole name is the query, to the only package with this text, as debci
   * does, or to the only page found.
   */
  @Get('packages/-/search')
  @UseInterceptors(PageInterceptor)
  async page(
    @Query('query', QUERY) query: string,
    @CurrentViewer() viewer: Viewer,
  ): Promise<Page | Redirect> {
    const page = await this.search.findNamed(query);
    if (page) return { redirectTo: page.url };
    const { hasMore, ...hits } = await this.search.find(query, viewer);
    const isPackage = hits.packages.length === 1 && hits.runs.length === 0;
    const [only, ...others] = isPackage ? hits.packages : Object.values(hits).flat();
    if (only && others.length === 0) return { redirectTo: only.url };
    const jsonUrl = `/packages/-/search.json?query=${encodeURIComponent(query)}`;
    const groups = HEADINGS.flatMap(([kind, heading]) => {
      return hits[kind].length > 0 ? { heading, hits: hits[kind] } : [];
    });
    return { template: 'search/search', data: { query, groups, hasMore, isUnindexed: true, jsonUrl } };
  }

  /** What everybody may see. */
  @Get('packages/-/search.json')
  @Header('Cache-Control', 'no-cache')
  async json(@Query('query', QUERY) query: string): Promise<object> {
    const result = await this.search.find(query, Viewer.ANONYMOUS);
    const { packages, hasMore, nearPackages, runs, triggers, workers, errors } = result;
    return {
      query,
      packages,
      has_more: hasMore,
      near_packages: nearPackages,
      runs,
      triggers,
      workers,
      errors,
    };
  }

  /** Suggestions for the field at the top of each page. */
  @Get('-/suggest')
  @Header('Cache-Control', 'public, max-age=60')
  suggest(@Query('query', QUERY) query: string): Promise<Hit[]> {
    return this.search.suggest(query);
  }

  /** Suggestions for fields that take packages alone. */
  @Get('packages/-/suggest')
  @Header('Cache-Control', 'public, max-age=60')
  suggestPackages(@Query('query', QUERY) query: string): Promise<Hit[]> {
    return this.search.suggestPackages(query);
  }
}
