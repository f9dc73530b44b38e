import { Controller, Get, Inject, Injectable, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import type { ConfigurationStatus } from '@proctor/config';
import { ErrorSignatures, StatusLists } from '@proctor/database';
import { flag, StatusPartResource, text, whole, words } from '@proctor/resources';
import type { Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION, CONFIGURATION_STATUS } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { ignore } from '../../http/ignored-parameters';
import { Operation } from '../../http/operation';
import { baseUrl } from '../../http/paths';
import type { ContextRequest } from '../../http/request-context';
import { notFound } from '../../http/problem';
import { atomFeed } from '../../public-data/status-feed';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { PAGE_NUMBER } from '../layout/page-number';
import { errorLists } from './error-lists';
import {
  LISTED_MAX,
  listObject,
  listUrl,
  listView,
  numberedUrl,
  readPart,
  SHOWN_MAX,
  totalOf,
} from './status-list';
import type { StatusList } from './status-list';
import { LIST_QUERY, MINUTES_MAX } from './list-query';
import type { ListQuery } from './list-query';
import { packageLists } from './package-lists';
import { rejectedList, splitList } from './place-lists';
import type { RejectedPackage } from './place-lists';
import { mismatchList, pendingList } from './run-lists';

/** Every list of statuses, by its name. */
@Injectable()
export class ListDirectory {
  constructor(
    private readonly lists: StatusLists,
    private readonly signatures: ErrorSignatures,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
    @Inject(CONFIGURATION_STATUS) private readonly status: () => ConfigurationStatus,
  ) {}

  /** The lists. They are built for each call, because the configuration may change. */
  get all(): StatusList[] {
    const { neutral } = this.configuration.server;
    return [
      ...packageLists(this.lists, neutral),
      splitList(this.lists, neutral),
      mismatchList(this.lists, neutral),
      pendingList(this.lists, neutral),
      ...errorLists(this.signatures),
      rejectedList(
        () => this.listRejected(),
        () => this.status().loadedAt,
      ),
    ] as StatusList[];
  }

  /** @throws Problem 404 when there is no list of this name */
  find(name: string): StatusList {
    const match = this.all.find((list) => list.name === name);
    if (match) return match;
    throw notFound(`There is no list ${describe(name)} of statuses.`);
  }

  private listRejected(): RejectedPackage[] {
    return Object.entries(this.configuration.rejectList).flatMap(([name, suites]) =>
      Object.entries(suites).flatMap(([suite, architectures]) =>
        Object.entries(architectures).flatMap(([arch, versions]) =>
          Object.keys(versions).map((version) => ({ package: name, suite, arch, version })),
        ),
      ),
    );
  }
}

/** The lists of statuses, for people, programs and feed readers. */
@Controller('status')
@Requires('nothing')
export class ListsController {
  constructor(
    private readonly directory: ListDirectory,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Operation({
    tag: 'Service',
    id: 'listStatuses',
    summary: 'Statuses of packages, as a list',
    description:
      'What the pages of `/status/{list}/` show, in parts of 100; the address with `.xml` is its feed. Entries of `failing`, `alerts` (could not be tested), `flaky`, `slow` and `changes` are packages on a suite and architecture; those of `platform-specific-issues` packages on a suite; those of `pending` and `mismatches` are results. Of a mismatch, `wanted_version` is what the trigger names of the package itself, when another version was tested; `other_versions` are packages of the trigger that were installed in another version; `other_suites` are suites that the request did not name, with the first `packages` that came from each and how many `more` did; `fallback_release` is the release from which apt took all packages, when the pins could not be kept. Those of `errors` (seen most among the newest errors) and `new-errors` (seen for the first time last) are what `/api/v1/signatures` lists, 500 at most. No key is needed, and no private run is in any.',
    answer: { description: 'A part of the list.', of: StatusPartResource },
    path: {
      list: {
        of: words([
          'failing',
          'alerts',
          'flaky',
          'slow',
          'changes',
          'platform-specific-issues',
          'mismatches',
          'pending',
          'errors',
          'new-errors',
          'reject_list',
        ]),
      },
    },
    query: {
      suite: {
        of: text(),
        description:
          'Names of suites, separated by commas or as several parameters, `suite` or `suite[]`; any of them.',
      },
      arch: { of: text(), description: 'Names of architectures, in the same way.' },
      is_private: { of: flag(), description: 'No list has private runs, so with `true` it is empty.' },
      package: { of: text(), description: 'The name of a package, with `*` for anything.' },
      after: { of: text(), description: 'As `next` of the part before has it.' },
      since: {
        of: text(),
        description: 'Only for `changes`: a day as `YYYY-MM-DD`, or UNIX seconds; a week ago by default.',
      },
      minutes: {
        of: whole({ minimum: 1, maximum: MINUTES_MAX }),
        description: 'Only for `slow`: 60 by default.',
      },
    },
    refusals: { 404: 'NotFound' },
  })
  @Get(':list.json')
  async object(
    @Param('list') name: string,
    @Query(LIST_QUERY) query: ListQuery,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StatusPartResource> {
    const list = this.find(name, request);
    const part = await readPart(list, query, LISTED_MAX);
    response.set('Cache-Control', 'no-cache');
    return listObject(list, query, part);
  }

  @Get(':list.xml')
  async feed(
    @Param('list') name: string,
    @Query(LIST_QUERY) query: ListQuery,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const list = this.find(name, request);
    const { rows } = await readPart(list, query, LISTED_MAX);
    const address = {
      service: this.configuration.server.serviceName,
      base: baseUrl(request, this.configuration.server.publicUrl),
      feedPath: listUrl(list, { ...query, after: null }, '.xml'),
      pagePath: `/status/${list.name}/`,
    };
    response.set('Cache-Control', 'no-cache').type('application/atom+xml; charset=utf-8');
    return atomFeed(
      list.title,
      address,
      rows.map((row) => list.entry(row)),
    );
  }

  @Get('pending/:suite')
  @UseInterceptors(PageInterceptor)
  pending(
    @Param('suite') suite: string,
    @Query(LIST_QUERY) query: ListQuery,
    @Query('page', PAGE_NUMBER) page: number | null,
    @Req() request: ContextRequest,
  ): Promise<Page | Redirect> {
    for (const name of ['suite', 'suite[]']) ignore(request, name);
    if (!this.configuration.server.suites.includes(suite))
      throw notFound(`There is no suite ${describe(suite)}.`);
    return this.page('pending', { ...query, suites: [suite] }, page, request);
  }

  @Get(':list')
  @UseInterceptors(PageInterceptor)
  async page(
    @Param('list') name: string,
    @Query(LIST_QUERY) query: ListQuery,
    @Query('page', PAGE_NUMBER) page: number | null,
    @Req() request: ContextRequest,
  ): Promise<Page | Redirect> {
    const list = this.find(name, request);
    const url = page === null ? null : await numberedUrl(list, query, page);
    if (url !== null) return { redirectTo: url };
    ignore(request, 'page');
    const part = await readPart(list, query, SHOWN_MAX);
    const total = await totalOf(list, query, part);
    return { template: 'status/list', data: listView(list, query, part, total, this.configuration.server) };
  }

  /** @throws Problem 404 when there is no list of this name */
  private find(name: string, request: ContextRequest): StatusList {
    const list = this.directory.find(name);
    for (const bound of ['since', 'minutes'] as const) if (list.bound !== bound) ignore(request, bound);
    return list;
  }
}
