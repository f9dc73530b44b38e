import { Controller, Get, Inject, Param, Query, UseInterceptors } from '@nestjs/common';
import { ErrorSignatures, type RunRecord } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { SignaturesService } from '../../runs/signatures.service';
import type { SignatureDetailsResource } from '@proctor/resources';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';
import { runView } from '../runs/run-view';
import { errorView } from './errors-view';
import { BEFORE_RUN, SIGNATURE_IN_PATH } from '../../http/path-ids';
import { loadPart } from '../../http/parts';

const RUNS_SHOWN_MAX = 50;

/** One page for each error, with all packages that have it. See error-lists.ts for the lists of errors. */
@Controller('status/errors')
@Requires('nothing')
export class ErrorPagesController {
  constructor(
    private readonly signatures: SignaturesService,
    private readonly errors: ErrorSignatures,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get(':signature.json')
  data(@Param('signature', SIGNATURE_IN_PATH) signature: string): Promise<SignatureDetailsResource> {
    return this.signatures.details(signature);
  }

  @Get(':signature')
  @UseInterceptors(PageInterceptor)
  async one(
    @Param('signature', SIGNATURE_IN_PATH) signature: string,
    @Query('before', BEFORE_RUN) before: number | null,
  ): Promise<Page> {
    const read = (limit: number): Promise<RunRecord[]> => this.errors.runs(signature, limit, before);
    const [details, part] = await Promise.all([
      this.signatures.details(signature),
      loadPart(RUNS_SHOWN_MAX, read, ({ runId }) => runId),
    ]);
    const { neutral } = this.configuration.server;
    const runs = part.rows.map((run) => runView(run, neutral));
    return { template: 'status/error', data: errorView(details, runs, { before, older: part.last }) };
  }
}
