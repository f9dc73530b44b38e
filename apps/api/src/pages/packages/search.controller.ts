import { Controller, Get, Header, Query, UseInterceptors } from '@nestjs/common';
import { isPackageName } from '@proctor/contracts';
import { PackagePages } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { queryValue, text } from '../../http/parameter-values';
import { loadPart } from '../../http/parts';
import { packagePath } from '../../runs/page-paths';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';

const FOUND_MAX = 200;
const SUGGESTED_MAX = 10;
const QUERY_LENGTH_MAX = 200;

/** The parameter `query`: part of a package's name. Case and spaces around it do not matter. */
const QUERY = queryValue(
  (parameter, name) => text(QUERY_LENGTH_MAX)(parameter, name).trim().toLowerCase(),
  '',
);

interface FoundPackage {
  name: string;
  url: string;
}

/** Finds packages by part of their name. `-` is never the prefix of a package. */
@Controller('packages/-')
@Requires('nothing')
export class SearchController {
  constructor(private readonly pages: PackagePages) {}

  /** Redirects to the page of the package when the query is its name, or when it is the only one found. */
  @Get('search')
  @UseInterceptors(PageInterceptor)
  async search(@Query('query', QUERY) query: string): Promise<Page | Redirect> {
    const isName = isPackageName(query) && (await this.pages.isKnown(query));
    if (isName) return { redirectTo: packagePath(query) };
    const jsonUrl = `/packages/-/search.json?query=${encodeURIComponent(query)}`;
    const result = await this.findPackages(query);
    const [only, ...others] = result.packages;
    if (only && others.length === 0) return { redirectTo: only.url };
    const data = { query, ...result, isUnindexed: true, jsonUrl };
    return { template: 'packages/search', data };
  }

  /** A package whose whole name is the query comes first. */
  @Get('search.json')
  @Header('Cache-Control', 'no-cache')
  async searchJson(@Query('query', QUERY) query: string): Promise<object> {
    const { packages, hasMore } = await this.findPackages(query);
    return { query, packages, has_more: hasMore };
  }

  @Get('suggest')
  @Header('Cache-Control', 'public, max-age=60')
  suggest(@Query('query', QUERY) query: string): Promise<FoundPackage[]> {
    return this.find(query, SUGGESTED_MAX);
  }

  private async findPackages(query: string): Promise<{ packages: FoundPackage[]; hasMore: boolean }> {
    const read = (limit: number) => this.find(query, limit);
    const { rows, last } = await loadPart(FOUND_MAX, read, ({ name }) => name);
    return { packages: rows, hasMore: last !== null };
  }

  private async find(query: string, limit: number): Promise<FoundPackage[]> {
    // Names of packages have no other characters.
    if (!/^[a-z0-9+.-]+$/.test(query)) return [];
    const names = await this.pages.search(query, limit);
    return names.map((name) => ({ name, url: packagePath(name) }));
  }
}
