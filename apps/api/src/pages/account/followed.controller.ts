import { Controller, Get, Header, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Sent } from '../../http/body.interceptor';
import type { Parameters } from '../../http/parameters';
import { baseUrl } from '../../http/paths';
import type { ContextRequest } from '../../http/request-context';
import { TakesForm } from '../../sessions/form-protection';
import type { Page, Redirect } from '../layout/page';
import { OwnPages, requireLogin } from './account-pages';
import { FollowedService, PatternsPipe } from './followed.service';

class PatternPipe implements PipeTransform<Parameters, string> {
  transform(parameters: Parameters): string {
    const value = parameters.get('pattern')?.value;
    return typeof value === 'string' ? value : '';
  }
}

/** The packages that a user follows. */
@Controller('user/:user/packages')
@Requires('nothing')
@OwnPages()
export class FollowedController {
  constructor(private readonly followed: FollowedService) {}

  @Get()
  page(@Req() request: ContextRequest): Promise<Page> {
    return this.followed.page(requireLogin(request));
  }

  @Post('follow')
  @HttpCode(200)
  @TakesForm()
  async follow(@Sent(PatternsPipe) patterns: string[], @Req() request: ContextRequest): Promise<Redirect> {
    await this.followed.follow(requireLogin(request), patterns);
    return backTo(request);
  }

  @Post('unfollow')
  @HttpCode(200)
  @TakesForm()
  async unfollow(@Sent(PatternPipe) pattern: string, @Req() request: ContextRequest): Promise<Redirect> {
    await this.followed.unfollow(requireLogin(request), pattern);
    return backTo(request);
  }

  /** A new address; the old one leads nowhere any more. */
  @Post('feed')
  @HttpCode(200)
  @TakesForm()
  async renewFeed(@Req() request: ContextRequest): Promise<Redirect> {
    await this.followed.renewFeed(requireLogin(request));
    return backTo(request);
  }

  @Post('feed/end')
  @HttpCode(200)
  @TakesForm()
  async endFeed(@Req() request: ContextRequest): Promise<Redirect> {
    await this.followed.endFeed(requireLogin(request));
    return backTo(request);
  }
}

function backTo(request: ContextRequest): Redirect {
  return { redirectTo: `/user/${requireLogin(request).name}/packages` };
}

/** The same for programs. */
@Controller('user/:user')
@Requires('nothing')
@OwnPages({ isData: true })
export class FollowedDataController {
  constructor(private readonly followed: FollowedService) {}

  @Get('packages.json')
  object(@Req() request: ContextRequest): ReturnType<FollowedService['object']> {
    return this.followed.object(requireLogin(request));
  }
}

/** The same for feed readers, which have no session: by an address that nobody can guess. */
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
