import { Controller, Get, Inject, Param, Query, UseInterceptors } from '@nestjs/common';
import { isPackageName, packagePrefix, describe } from '@proctor/contracts';
import { systemClock } from '@proctor/clock';
import { PublicRuns } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { notFound } from '../http/problem';
import { SharedAnswers } from '../http/shared-answers';
import { AfterPipe, listPages, PACKAGES_SHOWN_MAX } from './list-part';
import { packageView } from './package-view';
import { PageInterceptor } from './page';
import type { Page } from './page';

const PREFIX = /^(lib[a-z0-9+.-]|[a-z0-9])$/;

/** The packages that public runs made known. */
@Controller('packages')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class PackagesController {
  private readonly prefixList: SharedAnswers<string[]>;

  constructor(
    private readonly publicRuns: PublicRuns,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {
    this.prefixList = new SharedAnswers(systemClock, {
      sizeMax: 1,
      ageMaxMs: () => configuration.server.publicAgeMaxMs,
    });
  }

  @Get()
  async prefixes(): Promise<Page> {
    const prefixes = await this.prefixList.get('all', () => this.publicRuns.prefixes());
    return { template: 'packages', data: { prefixes } };
  }

  @Get(':prefix')
  async ofPrefix(@Param('prefix') prefix: string, @Query('after', AfterPipe) after: string): Promise<Page> {
    const part = { after, limit: PACKAGES_SHOWN_MAX + 1 };
    const found = PREFIX.test(prefix) ? await this.publicRuns.packagesOf(prefix, part) : [];
    if (found.length === 0)
      throw notFound(`There is no package at ${describe(prefix)}${after && ` after ${describe(after)}`}.`);
    const packages = found.slice(0, PACKAGES_SHOWN_MAX);
    const lastName = found.length > packages.length ? packages.at(-1)! : null;
    const pages = listPages(`/packages/${prefix}/`, after, lastName);
    return { template: 'prefix', data: { prefix, packages, pages } };
  }

  /** An unknown package has an empty page: a client may ask before the first run. */
  @Get(':prefix/:package')
  async ofName(@Param('prefix') prefix: string, @Param('package') name: string): Promise<Page> {
    if (!isPackageName(name) || prefix !== packagePrefix(name)) throw notFound('There is no such package.');
    const statuses = await this.publicRuns.suitesOf(name);
    const data = packageView(name, statuses, this.configuration.server);
    return { template: 'package', data, updates: statuses.map(({ latest }) => latest.updatedAt) };
  }
}
