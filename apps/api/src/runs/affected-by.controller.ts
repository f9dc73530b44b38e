import { AffectedRuns } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { affectedObject, AffectedByQuery, AffectedByService } from './affected-by';

/** Tests that began to fail after a package changed. */
@Controller('api/v1/affected-by')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class AffectedByController {
  constructor(private readonly affected: AffectedByService) {}

  @Operation({
    tag: 'Results',
    id: 'getAffectedBy',
    summary: 'Which tests began to fail when a package had changed',
    description: [
      'For everybody, without a key: `/data/v1/affected-by`.',
      'Public runs that failed, each just after one of its package and place that had passed, and in which the package had another version than in that one: for each place the first, the newest first. A package is a binary one, or the source that the trigger of the run names. That it had changed does not say that it is the cause: other packages may have changed too.',
    ].join('\n\n'),
    answer: { description: 'The runs.', of: AffectedRuns },
  })
  @Get()
  async find(@Sent() query: AffectedByQuery) {
    return affectedObject(await this.affected.find(query));
  }
}
