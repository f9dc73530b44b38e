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

/** The parameter `query`: a part of a package's name, as people type it. */
const QUERY = queryValue(
  (parameter, name) => text(QUERY_LENGTH_MAX)(parameter, name).trim().toLowerCase(),
  '',
);

/** A package of an answer. */
interface FoundPackage {
  name: string;
  url: string;
}

/** Packages by a part of their names. No package's prefix is `-`. */
@Controller('packages/-')
@Requires('nothing')
export class SearchController {
  constructor(private readonly pages: PackagePages) {}

  /** The very name of a package leads to its page, and so does what is in the name of one package alone. */
  @Get('search')
  @UseInterceptors(PageInterceptor)
  async search(@Query('query', QUERY) query: string): Promise<Page | Redirect> {
    const isName = isPackageName(query) && (await this.pages.isKnown(query));
    if (isName) return { redirectTo: packagePath(query) };
    const jsonUrl = `/packages/-/search.json?query=${encodeURIComponent(query)}`;
    const found = await this.findPackages(query);
    const [only, ...others] = found.packages;
    if (only && others.length === 0) return { redirectTo: only.url };
    const data = { query, ...found, isUnindexed: true, jsonUrl };
    return { template: 'packages/search', data };
  }

  /** The very name of a package is one of its answers, the first. */
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

  /** No name has other characters. */
  private async find(query: string, limit: number): Promise<FoundPackage[]> {
    if (!/^[a-z0-9+.-]+$/.test(query)) return [];
    const names = await this.pages.search(query, limit);
    return names.map((name) => ({ name, url: packagePath(name) }));
  }
}
