import { Controller, Delete, Get, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import type { Requestor } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CurrentRequestor } from '../../auth/requestor';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { notFound } from '../../http/problem';
import { FollowedService, PatternsPipe } from './followed.service';

type FollowedObject = Awaited<ReturnType<FollowedService['object']>>;

/** The packages that a key's user follows. */
@Controller('api/v1/followed')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class FollowedApiController {
  constructor(private readonly followed: FollowedService) {}

  @Get()
  list(@CurrentRequestor() requestor: Requestor): Promise<FollowedObject> {
    return this.followed.object(requestor);
  }

  @Post()
  @HttpCode(200)
  async follow(
    @Sent(PatternsPipe) patterns: string[],
    @CurrentRequestor() requestor: Requestor,
  ): Promise<FollowedObject> {
    await this.followed.follow(requestor, patterns);
    return this.followed.object(requestor);
  }

  @Delete(':pattern')
  @HttpCode(204)
  async unfollow(@Param('pattern') pattern: string, @CurrentRequestor() requestor: Requestor): Promise<void> {
    if (await this.followed.unfollow(requestor, pattern)) return;
    throw notFound(`You do not follow ${describe(pattern)}.`);
  }
}
