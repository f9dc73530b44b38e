import { Operation } from '../http/operation';
import { ComparisonResource, RunList, type ResultResource } from '@proctor/resources';
import { Controller, Get, Inject, Injectable, UseInterceptors } from '@nestjs/common';
import { type Requestor, type RunFilter, type RunReader, type RunsAmong, RunSearch } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader, CurrentRequestor } from '../auth/requestor';
import { readerOf } from '../auth/run-reader';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { loadPart } from '../http/parts';
import { resultObject } from './result-object';
import { ComparisonQuery, RUNS_PER_PAGE, RunListQuery } from './run-list.dto';
import { comparisonObject } from './comparison';
import { ComparisonService } from './comparison.service';

/** A part of a list of runs. */
interface RunPart {
  results: ResultResource[];
  /** The value of `before` for the next part; null at the end. With a pattern, a part may be short before the end. */
  before: number | null;
}

@Injectable()
export class RunListService {
  constructor(
    private readonly search: RunSearch,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The newest first. */
  async part(query: RunListQuery, reader: RunReader): Promise<RunPart> {
    const { status, state, before, limit = RUNS_PER_PAGE, ...same } = query;
    const filter = { ...same, verdicts: status, states: state };
    const { runs, next } = filter.package?.includes('*')
      ? await this.search.findAmong(filter, reader, limit, before)
      : await this.findRuns(filter, reader, limit, before);
    const { neutral } = this.configuration.server;
    return { results: runs.map((run) => resultObject(run, neutral)), before: next };
  }

  private async findRuns(
    filter: RunFilter,
    reader: RunReader,
    limit: number,
    before?: number,
  ): Promise<RunsAmong> {
    const { rows, last } = await loadPart(
      limit,
      (most) => this.search.find(filter, reader, most, before),
      ({ runId }) => runId,
    );
    return { runs: rows, next: last };
  }
}

/** All runs that a key may see: all for administrators, otherwise public ones and its own. */
@Controller('api/v1')
@Requires('key')
export class RunListController {
  constructor(
    private readonly list: RunListService,
    private readonly comparisons: ComparisonService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Operation({
    tag: 'Results',
    id: 'listRuns',
    summary: 'Runs that match',
    description:
      'All public runs and the private ones of this key, for administrators those of all keys; the newest requests first. Parameters that are given all have to match. Send `before` for the next part.',
    answer: { description: 'A part of the list.', of: RunList, example: { results: [], before: null } },
  })
  @Get('runs')
  @UseInterceptors(BodyInterceptor)
  runs(@Sent() query: RunListQuery, @CurrentRequestor() requestor: Requestor): Promise<RunPart> {
    return this.list.part(query, readerOf(requestor));
  }

  @Operation({
    tag: 'Results',
    id: 'compareRuns',
    summary: 'What is different between two runs',
    description: [
      'For everybody, without a key: `/data/v1/compare`.',
      'Their settings, equal or not, and the packages that each had installed, as far as their versions differ: those that a trigger or pins name come first, then those that were installed for the tests, then those of the testbed. Packages that changed from the same version to the same one follow each other: as a rule they are of one source.',
    ].join('\n\n'),
    answer: { description: 'The two runs and their differences.', of: ComparisonResource },
    refusals: { 404: 'NotFound' },
  })
  @Get('compare')
  @UseInterceptors(BodyInterceptor)
  async compare(@Sent() { a, b }: ComparisonQuery, @CurrentReader() reader: ApiReader) {
    const one = a ?? (await this.comparisons.lastGoodBefore(b, reader.runs));
    const comparison = await this.comparisons.compare([one, b], reader.runs);
    return comparisonObject(comparison, this.configuration.server.neutral);
  }
}
