import { Controller, Delete, Param } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requestor } from '../auth/requestor';
import { runIdOf } from '../results/numbers';
import type { ResultObject } from '../results/result-object';
import { CancellationService } from './cancellation.service';

@Controller('api/v1/test/:run_id')
export class CancellationController {
  constructor(private readonly service: CancellationService) {}

  @Delete()
  cancel(
    @Param('run_id') runId: string,
    @Requestor() requestor: AuthenticatedRequestor,
  ): Promise<ResultObject> {
    return this.service.cancel(runIdOf(runId), requestor);
  }
}
