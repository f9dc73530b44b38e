import { Controller, Delete, Get, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import type { Requestor } from '@proctor/database';
import { FollowedResource, FollowRequest, text } from '@proctor/resources';
import { Requires } from '../../auth/authentication.middleware';
import { CurrentRequestor } from '../../auth/requestor';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { Operation } from '../../http/operation';
import { notFound } from '../../http/problem';
import { FollowedService, PatternsPipe } from './followed.service';

/** The packages that the user of an API key follows. */
@Controller('api/v1/followed')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class FollowedApiController {
  constructor(private readonly followed: FollowedService) {}

  @Operation({
    tag: 'Service',
    id: 'listFollowed',
    summary: 'The packages that you follow',
    description:
      "What the page of the key's user shows, and its `/user/{name}/packages.json`. Private runs are in none of it.",
    answer: {
      description:
        'The names and patterns, and the packages of public runs that they mean, those that fail first.',
      of: FollowedResource,
    },
  })
  @Get()
  list(@CurrentRequestor() requestor: Requestor): Promise<FollowedResource> {
    return this.followed.object(requestor);
  }

  @Operation({
    tag: 'Service',
    id: 'followPackages',
    summary: 'Follow packages',
    description:
      'Follows all of them, or none if one is not a possible name or there would be too many. Packages that are followed already stay so.',
    answer: { description: 'What is followed now.', of: FollowedResource },
    body: { form: { packages: 'hello, libfoo*' }, json: { packages: ['hello', 'libfoo*'] } },
  })
  @Post()
  @HttpCode(200)
  async follow(
    @Sent(PatternsPipe) { packages }: FollowRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<FollowedResource> {
    await this.followed.follow(requestor, packages);
    return this.followed.object(requestor);
  }

  @Operation({
    tag: 'Service',
    id: 'unfollowPackages',
    summary: 'Follow packages no longer',
    answer: { description: 'It is followed no longer.' },
    path: {
      pattern: { of: text(), description: 'The name or pattern as it is followed.', example: 'hello' },
    },
    refusals: { 404: 'NotFound' },
  })
  @Delete(':pattern')
  @HttpCode(204)
  async unfollow(@Param('pattern') pattern: string, @CurrentRequestor() requestor: Requestor): Promise<void> {
    if (await this.followed.unfollow(requestor, pattern)) return;
    throw notFound(`You do not follow ${describe(pattern)}.`);
  }
}
