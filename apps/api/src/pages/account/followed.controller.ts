import { Controller, Get, Header, Inject, Param, Req } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import type { User } from '@proctor/database';
import { FollowRequest } from '@proctor/resources';
import type { Request } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Sent } from '../../http/body.interceptor';
import type { Parameters } from '../../http/parameters';
import { baseUrl } from '../../http/paths';
import { Form } from '../layout/form-action';
import type { Page } from '../layout/page';
import { CurrentUser, OwnPages } from './account-pages';
import { FollowedService, PatternsPipe } from './followed.service';

class PatternPipe implements PipeTransform<Parameters, string> {
  transform(parameters: Parameters): string {
    const value = parameters.get('pattern')?.value;
    return typeof value === 'string' ? value : '';
  }
}

const PACKAGES = '/user/:user/packages';

/** The packages that a user follows. */
@Controller('user/:user/packages')
@Requires('nothing')
@OwnPages()
export class FollowedController {
  constructor(private readonly followed: FollowedService) {}

  @Get()
  page(@CurrentUser() user: User): Promise<Page> {
    return this.followed.page(user);
  }

  @Form('follow', { then: PACKAGES })
  async follow(@Sent(PatternsPipe) { packages }: FollowRequest, @CurrentUser() user: User): Promise<void> {
    await this.followed.follow(user, packages);
  }

  @Form('unfollow', { then: PACKAGES })
  async unfollow(@Sent(PatternPipe) pattern: string, @CurrentUser() user: User): Promise<void> {
    await this.followed.unfollow(user, pattern);
  }

  /** Gives the feed a new address; the old address no longer works. */
  @Form('feed', { then: PACKAGES })
  async renewFeed(@CurrentUser() user: User): Promise<void> {
    await this.followed.renewFeed(user);
  }

  @Form('feed/end', { then: PACKAGES })
  async endFeed(@CurrentUser() user: User): Promise<void> {
    await this.followed.endFeed(user);
  }
}

/** The followed packages as JSON. */
@Controller('user/:user')
@Requires('nothing')
@OwnPages({ isData: true })
export class FollowedDataController {
  constructor(private readonly followed: FollowedService) {}

  @Get('packages.json')
  object(@CurrentUser() user: User): ReturnType<FollowedService['object']> {
    return this.followed.object(user);
  }
}

/** The followed packages for feed readers. They have no session, so the address is secret. */
@Controller('data/followed')
@Requires('nothing')
export class FollowedFeedController {
  constructor(
    private readonly followed: FollowedService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get(':file')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  @Header('Cache-Control', 'private, max-age=300')
  @Header('X-Robots-Tag', 'noindex')
  feed(@Param('file') file: string, @Req() request: Request): Promise<string> {
    return this.followed.feed(file, baseUrl(request, this.configuration.server.publicUrl));
  }
}
