import { text, Artifacts } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, Param, Res, UseInterceptors } from '@nestjs/common';
import type { RunRecord } from '@proctor/database';
import type { Response } from 'express';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { requireKept } from '../runs/removed-files';
import { VisibleRuns } from '../runs/visible-runs';
import { AttemptQuery } from './logs.dto';
import { RunLogs } from './run-logs';
import { sendMember } from './send-member';
import { RUN_IN_PATH } from '../http/path-ids';

/** The artifacts of a run, file by file. */
@Controller('api/v1/runs/:run_id/artifacts')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class ArtifactFilesController {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly logs: RunLogs,
  ) {}

  @Operation({
    tag: 'Results',
    id: 'listArtifacts',
    summary: 'The files that a run left beside its log',
    description: [
      'For everybody, without a key: `/data/v1/runs/{run_id}/artifacts`.',
      'In the order of the archive, the first 10,000.',
    ].join('\n\n'),
    answer: {
      description: 'The files.',
      of: Artifacts,
      example: {
        run_id: 12,
        attempt: 1,
        archive_bytes: 20480,
        files: [{ path: 'upstream-stdout', bytes: 801 }],
        total: 1,
      },
    },
    refusals: { 404: 'NotFound', 410: 'Gone' },
  })
  @Get()
  async list(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @Sent() query: AttemptQuery,
    @CurrentReader() reader: ApiReader,
  ) {
    const run = await this.run(runId, reader);
    const attempt = await this.logs.attempt(runId, query.attempt ?? null);
    const archive = await this.logs.artifacts(run, attempt);
    const { members = [], membersTotal = 0 } = archive?.index ?? {};
    return {
      run_id: runId,
      attempt: attempt.attempt,
      archive_bytes: archive && archive.size,
      files: members.map(({ path, size }) => ({ path, bytes: size })),
      total: membersTotal,
    };
  }

  @Operation({
    tag: 'Results',
    id: 'readArtifact',
    summary: 'A file that a run left beside its log',
    description: [
      'For everybody, without a key: `/data/v1/runs/{run_id}/artifacts/{path}`.',
      'Its bytes, whatever they are: a test has written them.',
    ].join('\n\n'),
    answer: { description: 'The file.', of: text({ format: 'binary' }), type: 'application/octet-stream' },
    isStream: true,
    path: {
      path: {
        of: text(),
        description: 'The path as the list has it; its slashes may be encoded or not.',
        example: 'upstream-stdout',
      },
    },
    refusals: { 404: 'NotFound', 410: 'Gone' },
  })
  @Get('*path')
  async file(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @Param('path') path: string[] | string,
    @Sent() query: AttemptQuery,
    @CurrentReader() reader: ApiReader,
    @Res() response: Response,
  ): Promise<void> {
    const run = await this.run(runId, reader);
    const attempt = await this.logs.attempt(runId, query.attempt ?? null);
    const { archive, member } = await this.logs.artifact(run, attempt, [path].flat().join('/'));
    await sendMember(archive, member, false, false, response);
  }

  /**
   * @throws Problem 404 also for a private run that the reader may not know of; 410 if a rule has removed the
   * artifacts
   */
  private async run(runId: number, reader: ApiReader): Promise<RunRecord> {
    const run = await this.runs.one(runId, reader.runs);
    requireKept(run, 'artifacts.tar.gz');
    return run;
  }
}
