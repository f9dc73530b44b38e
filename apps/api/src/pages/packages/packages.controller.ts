import { Controller, Get, Header, Inject, Param, Query, UseInterceptors } from '@nestjs/common';
import { isPackageName } from '@proctor/contracts';
import { systemClock } from '@proctor/clock';
import { PACKAGE_STATES, PackagePages } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { notFound } from '../../http/problem';
import { inSlices } from '../../http/slices';
import { SharedAnswers } from '../../http/shared-answers';
import { PublicAnswerInterceptor } from '../../public-data/public-answer';
import type { PublicAnswer } from '../../public-data/public-answer';
import { packagePath } from '../../runs/page-paths';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { KnownSources } from '../../sources/known-sources';
import { sourceWarnings } from '../../sources/source-warnings';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { badgeWords } from '../layout/sentence';
import { staleBefore } from '../layout/stale';
import { NoteLists } from '../notes/note-lists.service';
import { badge } from './badge';
import { Failures } from './failures.service';
import { PackagePageService } from './package-page.service';
import { packageView, placeState } from './package-view';
import { PREFIX_QUERY, prefixPages, prefixQuery } from './prefix-query';
import type { PrefixQuery } from './prefix-query';
import { countsSentence, prefixMatrix, prefixObjects } from './prefix-view';

const BADGE_AGE_SECONDS = 60;

/** The pages of packages that have a public run. */
@Controller('packages')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class PackagesController {
  private readonly prefixList: SharedAnswers<string[]>;

  constructor(
    private readonly service: PackagePageService,
    private readonly failures: Failures,
    private readonly notes: NoteLists,
    private readonly sources: KnownSources,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {
    this.prefixList = new SharedAnswers(systemClock, {
      sizeMax: 1,
      ageMaxMs: () => configuration.server.publicAgeMaxMs,
    });
  }

  @Get()
  async prefixes(): Promise<Page> {
    const prefixes = await this.prefixList.find('all', () => this.service.prefixList());
    return { template: 'packages/prefixes', data: { prefixes } };
  }

  @Get(':prefix')
  async ofPrefix(
    @Param('prefix') prefix: string,
    @Query(PREFIX_QUERY) query: PrefixQuery,
  ): Promise<Page | Redirect> {
    if (await this.service.isPackage(prefix)) return { redirectTo: packagePath(prefix) };
    const { server } = this.configuration;
    const { packages, statuses, counts, places, last } = await this.service.ofPrefix(prefix, query, server);
    const targets = { ...server, staleBefore: staleBefore(server.staleDays) };
    return {
      template: 'packages/prefix',
      data: {
        prefix,
        asked: query,
        states: PACKAGE_STATES,
        suites: server.suites,
        architectures: server.architectures,
        sentence: countsSentence(counts),
        pages: prefixPages(`/packages/${prefix}/`, query, last),
        jsonUrl: `/packages/${prefix}.json${prefixQuery(query)}`,
        isUnindexed: prefixQuery(query) !== '',
        ...prefixMatrix(packages, statuses, places, targets),
      },
      followable: { kind: 'package', name: `${prefix}*` },
    };
  }

  @Get(':prefix/:package')
  async ofName(
    @Param('prefix') prefix: string,
    @Param('package') name: string,
    @CurrentViewer() viewer: Viewer,
  ): Promise<Page | Redirect> {
    if (await this.service.isPackage(prefix)) return { redirectTo: `${packagePath(prefix)}${path(name)}/` };
    const packageData = await this.service.loadPackage(prefix, name);
    const [{ section: notes, updates }, failures, doneInMs, missing] = await Promise.all([
      this.notes.ofPackage(name, null, viewer),
      this.failures.of(packageData, viewer),
      this.service.doneInMs(packageData.unfinished),
      inSlices(sourceWarnings([...packageData.unfinished, ...packageData.absent], this.sources)),
    ]);
    const data = {
      ...packageView(packageData, { failures, doneInMs, missing }, this.configuration.server),
      notes,
    };
    const page: Page = { template: 'packages/package', data, followable: { kind: 'package', name } };
    // No Last-Modified here: unfinished runs and the contents of suites change without changing a time of a row.
    return packageData.unfinished.length > 0 || missing.length > 0
      ? page
      : {
          ...page,
          updates: [
            ...packageData.latest.map((run) => run.updatedAt),
            ...failures.flatMap(({ notes }) =>
              notes.map(({ changedAt, writtenAt }) => changedAt ?? writtenAt),
            ),
            ...updates,
          ],
        };
  }

  /** People shorten the address of a history by hand; this redirects them to the page of the package. */
  @Get(':prefix/:package/:suite')
  async ofSuite(
    @Param('prefix') prefix: string,
    @Param('package') name: string,
    @Param('suite') suite: string,
  ): Promise<Redirect> {
    if (await this.service.isPackage(prefix))
      return { redirectTo: `${packagePath(prefix)}${path(name)}/${path(suite)}/` };
    await this.service.checkSuite(prefix, name, suite, this.configuration.server.suites);
    return { redirectTo: `${packagePath(name)}#suite-${suite}` };
  }
}

const path = encodeURIComponent;

/** The packages of a prefix as JSON. */
@Controller('packages/:prefix.json')
@Requires('nothing')
export class PrefixDataController {
  constructor(
    private readonly service: PackagePageService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-cache')
  async ofPrefix(@Param('prefix') prefix: string, @Query(PREFIX_QUERY) query: PrefixQuery): Promise<object> {
    const { server } = this.configuration;
    const { packages, statuses, last } = await this.service.ofPrefix(prefix, query, server);
    return {
      packages: prefixObjects(packages, statuses, server.neutral),
      next: prefixPages(`/packages/${prefix}.json`, query, last).nextUrl,
    };
  }
}

/** The state of a package as a picture that other sites can show. */
@Controller('packages/:prefix/:package/badge.svg')
@Requires('nothing')
export class BadgeController {
  constructor(
    private readonly service: PackagePageService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  @UseInterceptors(PublicAnswerInterceptor)
  async ofPackage(
    @Param('prefix') prefix: string,
    @Param('package') name: string,
  ): Promise<PublicAnswer<string>> {
    const { latest } = await this.service.loadPackage(prefix, name);
    const places = latest.map((run) => placeState(run, undefined, this.configuration.server.neutral));
    return {
      content: badge(badgeWords(places)),
      type: 'image/svg+xml',
      updates: latest.map((run) => run.updatedAt),
      maxAgeSeconds: BADGE_AGE_SECONDS,
    };
  }
}

/** The short address of a package's page. */
@Controller(':package')
@Requires('nothing')
export class PackageNameController {
  constructor(private readonly pages: PackagePages) {}

  @Get()
  @UseInterceptors(PageInterceptor)
  async ofName(@Param('package') name: string): Promise<Redirect> {
    const isThere = isPackageName(name) && (await this.pages.isKnown(name));
    if (!isThere) throw notFound(`There is nothing at /${name}.`);
    return { redirectTo: packagePath(name) };
  }
}
