import { Controller, Get, Header, Inject, UseInterceptors } from '@nestjs/common';
import { basePathOf } from '@proctor/config';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Assets } from './assets';
import { PageInterceptor } from './page';
import type { Redirect } from './page';

/** Crawlers may read pages. They may not read what is large, changes with each request, or belongs to one user. */
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

/** Where who is not known may read nothing. */
const CLOSED = 'User-agent: *\nDisallow: /\n';

/** What programs ask every server for. */
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
