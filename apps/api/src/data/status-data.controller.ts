import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { timestamp } from '@proctor/contracts';
import type { StatusRecord, StatusVersion } from '@proctor/database';
import type { Request, Response } from 'express';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { sendJsonStream } from '../results/result-stream';
import { PublicCache } from './public-cache';
import { statusObject } from './status-object';
import { stateOf, StatusService } from './status.service';
import type { StatusPlace } from './status.service';

/** Less than the hour after which the readers of these files come again. */
const MAX_AGE_SECONDS = 60;

/** Part of the ETag of packages.json, which is not made from its bytes: another number when its layout changes. */
const LAYOUT = 1;

/** The status of all packages of a suite and architecture, made from the database at each request. */
@Controller('data/status/:suite/:arch')
export class StatusDataController {
  constructor(
    private readonly status: StatusService,
    private readonly cache: PublicCache,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The latest status of each package. It may be long: neither its bytes nor its rows are ever in memory as a whole. */
  @Get('packages.json')
  async packages(
    @Param() place: StatusPlace,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { neutral } = this.configuration.server;
    // Before the rows: they are of this version or a later one, and a later one has another tag.
    const version = await this.status.version(place);
    this.cache.mark(response, updates(version), MAX_AGE_SECONDS);
    response.set('ETag', `W/"${LAYOUT}-${neutral}-${stateOf(version)}"`);
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    await sendJsonStream(request, response, jsonArray(this.status.all(place), neutral));
  }

  /** How many packages have which status. */
  @Get('status.json')
  async counts(@Param() place: StatusPlace, @Res() response: Response): Promise<void> {
    const version = await this.status.version(place);
    const { date, ...counts } = await this.status.counts(place, version);
    this.cache.mark(response, updates(version), MAX_AGE_SECONDS);
    response.json({ ...counts, date: date && timestamp(date) });
  }

  /** The same at the end of each of the last days, oldest first. */
  @Get('history.json')
  async history(@Param() place: StatusPlace, @Res() response: Response): Promise<void> {
    const version = await this.status.version(place);
    const days = await this.status.history(place, version);
    // A day more is a change too.
    this.cache.mark(
      response,
      [...updates(version), ...days.slice(-1).map((day) => day.date)],
      MAX_AGE_SECONDS,
    );
    response.json(days.map(({ date, ...counts }) => ({ ...counts, date: timestamp(date) })));
  }
}

function updates({ newestUpdate }: StatusVersion): Date[] {
  return newestUpdate ? [newestUpdate] : [];
}

/** One object a line. */
async function* jsonArray(
  pages: AsyncIterable<StatusRecord[]>,
  neutral: 'pass' | 'neutral',
): AsyncGenerator<string> {
  let before = '[\n';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + page.map((record) => JSON.stringify(statusObject(record, neutral))).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
