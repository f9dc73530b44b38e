import {
  DayCountsResource,
  listOf,
  PackageStatusResource,
  StatusCountsResource,
  text,
} from '@proctor/resources';
import { Operation } from '../http/operation';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Controller, Get, Inject, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import { timestamp } from '@proctor/contracts';
import type { StatusVersion } from '@proctor/database';
import type { Request, Response } from 'express';
import { Requires } from '../auth/authentication.middleware';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { pipelineToClient } from '../http/pipeline-to-client';
import { PublicAnswerInterceptor } from './public-answer';
import type { PublicAnswer } from './public-answer';
import { PublicCache } from './public-cache';
import { stateOf, StatusService } from './status.service';
import type { SuiteArch } from './status.service';

/** Less than an hour: readers of these files come each hour. */
const MAX_AGE_SECONDS = 60;

/** Part of the ETag of packages.json, which does not depend on its bytes: the number changes with its layout. */
const LAYOUT = 1;

/** The status of all packages of a suite and architecture; requests share it while nothing changes. */
@Controller('data/status/:suite/:arch')
@Requires('nothing')
export class StatusDataController {
  constructor(
    private readonly status: StatusService,
    private readonly cache: PublicCache,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The latest status of each package. It may be long: it is stored compressed, and never whole in memory. */
  @Operation({
    tag: 'Public data',
    id: 'readStatuses',
    summary: 'Status of each package',
    description:
      'As distro-tracker, UDD and others read it. `message` is never empty; `previous_status` is null the first time.',
    answer: { description: 'The statuses.', of: listOf(PackageStatusResource) },
    refusals: { 404: 'NotFound' },
  })
  @Get('packages.json')
  async packages(
    @Param() place: SuiteArch,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { neutral } = this.configuration.server;
    const { version, answer: compressed } = await this.status.list(place);
    this.cache.mark(response, updates(version), MAX_AGE_SECONDS);
    response.type('json').vary('Accept-Encoding');
    response.set('ETag', `W/"${LAYOUT}-${neutral}-${stateOf(version)}"`);
    if (request.fresh) {
      response.status(304).end();
    } else if (request.headers['accept-encoding'] === 'gzip') {
      response.set('Content-Encoding', 'gzip').send(compressed);
    } else if (request.method === 'HEAD') {
      response.end();
    } else {
      await pipelineToClient(Readable.from([compressed]).pipe(createGunzip()), response);
    }
  }

  /** The number of packages with each status. */
  @Operation({
    tag: 'Public data',
    id: 'readStatusCounts',
    summary: 'How many packages have which status',
    answer: { description: 'Counts per status.', of: StatusCountsResource },
    refusals: { 404: 'NotFound' },
  })
  @Get('status.json')
  @UseInterceptors(PublicAnswerInterceptor)
  async counts(@Param() place: SuiteArch): Promise<PublicAnswer<StatusCountsResource>> {
    const { version, answer } = await this.status.counts(place);
    const { date, ...counts } = answer;
    return {
      content: { ...counts, date: date && timestamp(date) },
      updates: updates(version),
      maxAgeSeconds: MAX_AGE_SECONDS,
    };
  }

  /** The counts at the end of each of the last days, oldest first. */
  @Operation({
    tag: 'Public data',
    id: 'readStatusHistory',
    summary: 'How many packages had which status on each day',
    answer: { description: 'Counts per day.', of: listOf(DayCountsResource) },
    refusals: { 404: 'NotFound' },
  })
  @Get('history.json')
  @UseInterceptors(PublicAnswerInterceptor)
  async history(@Param() place: SuiteArch): Promise<PublicAnswer<DayCountsResource[]>> {
    const { version, answer: days } = await this.status.history(place);
    return {
      content: days.map(({ date, ...counts }) => ({ ...counts, date: timestamp(date) })),
      // A new day is a change, too.
      updates: [...updates(version), ...days.slice(-1).map((day) => day.date)],
      maxAgeSeconds: MAX_AGE_SECONDS,
    };
  }
}

/** The number of packages with each status at the end of a past day, or now for today: `2026/11/05.json`. */
@Controller('data/status/:suite/:arch/:year/:month/:day.json')
@Requires('nothing')
@UseInterceptors(PublicAnswerInterceptor)
export class DayStatusController {
  constructor(private readonly status: StatusService) {}

  @Operation({
    tag: 'Public data',
    id: 'readStatusOfDay',
    summary: 'How many packages had which status on one day',
    description:
      'The counts at the end of a day, UTC, also of a day before the history begins; those of today are as of now. 404 if nothing is known about the day.',
    answer: { description: 'Counts of the day.', of: DayCountsResource },
    path: {
      year: { of: text({ pattern: '^\\d{4}$' }), example: '2026' },
      month: { of: text({ pattern: '^\\d{2}$' }), example: '11' },
      day: { of: text({ pattern: '^\\d{2}$' }), example: '05' },
    },
    refusals: { 404: 'NotFound' },
  })
  @Get()
  async counts(
    @Param() { year, month, day, ...place }: SuiteArch & Record<'year' | 'month' | 'day', string>,
  ): Promise<PublicAnswer<DayCountsResource>> {
    const { version, counts } = await this.status.ofDay(place, `${year}-${month}-${day}`);
    const { date, ...numbers } = counts;
    return {
      content: { ...numbers, date: timestamp(date) },
      updates: updates(version),
      maxAgeSeconds: MAX_AGE_SECONDS,
    };
  }
}

function updates({ newestUpdate }: StatusVersion): Date[] {
  return newestUpdate ? [newestUpdate] : [];
}
