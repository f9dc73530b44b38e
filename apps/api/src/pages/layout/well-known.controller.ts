import { Controller, Get, Header, Inject, UseInterceptors } from '@nestjs/common';
import { basePathOf } from '@proctor/config';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Assets } from './assets';
import { PageInterceptor } from './page';
import type { Redirect } from './page';

/** Rules for crawlers: they may read pages, except large ones, pages that always change, and pages of one user. */
const ROBOTS = `User-agent: *
Disallow: /*?
Disallow: /-/
Disallow: /admin/
Disallow: /api/v1/
Disallow: /compare/
Disallow: /data/autopkgtest/
Disallow: /packages/-/
Disallow: /user/
Crawl-delay: 5
`;

/** Rules for crawlers when readers must log in. */
const CLOSED = 'User-agent: *\nDisallow: /\n';

/** Files that programs request from every server. */
@Controller()
@Requires('nothing')
export class WellKnownController {
  constructor(
    private readonly assets: Assets,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('robots.txt')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=3600')
  robots(): string {
    const { anonymousMayRead, publicUrl } = this.configuration.server;
    return (anonymousMayRead ? ROBOTS : CLOSED).replaceAll(
      'Disallow: /',
      `Disallow: ${basePathOf(publicUrl)}/`,
    );
  }

  @Get('favicon.ico')
  @UseInterceptors(PageInterceptor)
  icon(): Redirect {
    return { redirectTo: this.assets.url('icon.svg') };
  }
}
