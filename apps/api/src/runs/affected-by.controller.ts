import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { timestamp } from '@proctor/contracts';
import { Requires } from '../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { AffectedByQuery, AffectedByService } from './affected-by';
import { shortRunPath } from './page-paths';

/** Which tests began to fail when a package had changed. */
@Controller('api/v1/affected-by')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class AffectedByController {
  constructor(private readonly affected: AffectedByService) {}

  @Get()
  async find(@Sent() query: AffectedByQuery) {
    const { runs, isCut } = await this.affected.find(query);
    return {
      runs: runs.map((run) => ({
        package: run.package,
        suite: run.suite,
        arch: run.arch,
        run_id: run.runId,
        version: run.version,
        date: timestamp(run.date),
        passed_run_id: run.passedRunId,
        changed: { package: run.changed, from: run.from || null, to: run.to || null },
        page_url: shortRunPath(run.runId),
      })),
      is_cut: isCut,
    };
  }
}
