import { LogHits, LogIndexResource } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, Param, UseInterceptors } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { requireKept } from '../runs/removed-files';
import { VisibleRuns } from '../runs/visible-runs';
import { HITS_MAX } from './log-search';
import { AttemptQuery, LogSearchQuery } from './logs.dto';
import { RunLogs, withMark } from './run-logs';
import { RUN_IN_PATH } from '../http/path-ids';

/** Parts, errors and searches in the log of a run, stored or live. */
@Controller('api/v1/runs/:run_id/log')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class LogIndexController {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly logs: RunLogs,
  ) {}

  /** The parts of the log, and its lines with errors. */
  @Operation({
    tag: 'Results',
    id: 'readLogIndex',
    summary: 'The parts of the log of a run',
    description: [
      'For everybody, without a key: `/data/v1/runs/{run_id}/log/index`.',
      'The parts of the log, each to the next one or the end, and its lines with errors. While the test is executed, it is the index of the log so far.',
    ].join('\n\n'),
    answer: {
      description: 'The index.',
      of: LogIndexResource,
      example: {
        run_id: 12,
        attempt: 1,
        is_complete: true,
        bytes: 52010,
        lines: 801,
        sections: [
          { kind: 'start', name: '', line: 1, status: null, seconds: null },
          { kind: 'test', name: 'upstream', line: 640, status: 'FAIL', seconds: 65 },
        ],
        errors: [702],
        errors_total: 1,
      },
    },
    refusals: { 404: 'NotFound', 410: 'Gone' },
  })
  @Get('index')
  async index(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @Sent() { attempt }: AttemptQuery,
    @CurrentReader() reader: ApiReader,
  ) {
    const { log, error, ...place } = await this.findLog(runId, attempt, reader);
    const { bytes, lines, sections, marks, marksTotal } = withMark(log.index, error);
    return { ...place, bytes, lines, sections, errors: marks, errors_total: marksTotal };
  }

  /** The lines of the log with a text. */
  @Operation({
    tag: 'Results',
    id: 'searchLog',
    summary: 'The lines of a log with a text',
    description: [
      'For everybody, without a key: `/data/v1/runs/{run_id}/log/search`.',
      'At most 200 lines. A search ends after a time, two seconds by default. Send `next` as `from` to continue.',
    ].join('\n\n'),
    answer: {
      description: 'What was found.',
      of: LogHits,
      example: {
        run_id: 12,
        attempt: 1,
        is_complete: true,
        hits: [{ line: 702, text: './run: Segmentation fault' }],
        next: null,
      },
    },
    refusals: { 404: 'NotFound', 410: 'Gone' },
  })
  @Get('search')
  async search(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @Sent() { attempt, q, from = 1 }: LogSearchQuery,
    @CurrentReader() reader: ApiReader,
  ) {
    const { log, error: _error, ...place } = await this.findLog(runId, attempt, reader);
    const { hits, cutAt } = await log.search(q, from, HITS_MAX);
    return { ...place, hits, next: cutAt };
  }

  /**
   * @throws Problem 404 also for a private run that the reader may not know of; 410 if a rule has removed its logs;
   * 503 if a live log cannot be read
   */
  private async findLog(runId: number, number: number | undefined, reader: ApiReader) {
    const run = await this.runs.one(runId, reader.runs);
    requireKept(run, 'log.gz');
    const attempt = await this.logs.attempt(runId, number ?? null);
    const { log, isComplete } = await this.logs.whole(runId, attempt);
    const error = isComplete ? await this.logs.errorLine(run, attempt.attempt) : null;
    return { run_id: runId, attempt: attempt.attempt, is_complete: isComplete, log, error };
  }
}
