import { Controller, Delete, Get, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import type { Follow, Requestor } from '@proctor/database';
import { FollowedResource, FollowRequest, text } from '@proctor/resources';
import { Requires } from '../../auth/authentication.middleware';
import { CurrentRequestor } from '../../auth/requestor';
import { readerOf } from '../../auth/run-reader';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { Operation } from '../../http/operation';
import { RUN_IN_PATH } from '../../http/path-ids';
import { notFound } from '../../http/problem';
import { FollowedService, PatternsPipe } from './followed.service';
import { FollowsService } from './follows.service';

const TRIGGER_IN_PATH = {
  package: { of: text(), example: 'glibc' },
  version: { of: text(), example: '2.40-4' },
};

/** What the user of an API key follows. */
@Controller('api/v1/followed')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class FollowedApiController {
  constructor(
    private readonly followed: FollowedService,
    private readonly follows: FollowsService,
  ) {}

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
    await this.follows.followPackages(requestor, packages);
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
    await this.remove(requestor, { kind: 'package', name: pattern });
  }

  @Operation({
    tag: 'Service',
    id: 'followRun',
    summary: 'Follow a run',
    description: 'A run that this key may see.',
    answer: { description: 'It is followed.' },
    refusals: { 404: 'NotFound', 410: 'Gone' },
  })
  @Post('runs/:run_id')
  @HttpCode(204)
  followRun(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<void> {
    return this.follows.follow(requestor, readerOf(requestor), { kind: 'run', name: String(runId) });
  }

  @Operation({
    tag: 'Service',
    id: 'unfollowRun',
    summary: 'Follow a run no longer',
    answer: { description: 'It is followed no longer.' },
    refusals: { 404: 'NotFound' },
  })
  @Delete('runs/:run_id')
  @HttpCode(204)
  unfollowRun(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<void> {
    return this.remove(requestor, { kind: 'run', name: String(runId) });
  }

  @Operation({
    tag: 'Service',
    id: 'followTrigger',
    summary: 'Follow a trigger',
    description: 'A trigger that has a run which this key may see.',
    answer: { description: 'It is followed.' },
    path: TRIGGER_IN_PATH,
    refusals: { 404: 'NotFound' },
  })
  @Post('triggers/:package/:version')
  @HttpCode(204)
  followTrigger(
    @Param('package') name: string,
    @Param('version') version: string,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<void> {
    const follow = { kind: 'trigger', name: `${name}/${version}` } as const;
    return this.follows.follow(requestor, readerOf(requestor), follow);
  }

  @Operation({
    tag: 'Service',
    id: 'unfollowTrigger',
    summary: 'Follow a trigger no longer',
    answer: { description: 'It is followed no longer.' },
    path: TRIGGER_IN_PATH,
    refusals: { 404: 'NotFound' },
  })
  @Delete('triggers/:package/:version')
  @HttpCode(204)
  unfollowTrigger(
    @Param('package') name: string,
    @Param('version') version: string,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<void> {
    return this.remove(requestor, { kind: 'trigger', name: `${name}/${version}` });
  }

  /** @throws Problem 404 when the user does not follow it */
  private async remove(requestor: Requestor, follow: Follow): Promise<void> {
    if (await this.follows.unfollow(requestor, follow)) return;
    throw notFound(`You do not follow ${describe(follow.name)}.`);
  }
}
