import { Controller, Delete, Param } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { Requestor } from '../auth/requestor';
import { RunIdPipe } from './run-id';
import type { ResultObject } from './result-object';
import { CancellationService } from './cancellation.service';

@Controller('api/v1/test/:run_id')
@Requires('key')
export class CancellationController {
  constructor(private readonly service: CancellationService) {}

  @Delete()
  cancel(
    @Param('run_id', RunIdPipe) runId: number,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<ResultObject> {
    return this.service.cancel(runId, requestor);
  }
}
