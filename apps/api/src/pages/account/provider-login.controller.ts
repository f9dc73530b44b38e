import { Controller, Get, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import type { ContextRequest } from '../../http/request-context';
import { returnTo } from '../../sessions/return-to';
import { CurrentViewer } from '../../sessions/viewer';
import type { Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { ProviderLoginService } from './provider-login.service';

/** The redirects to a login provider and back. They start from links, because the content security policy blocks redirects of forms to other sites. */
@Controller('user/login/:provider')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class ProviderLoginController {
  constructor(private readonly logins: ProviderLoginService) {}

  @Get()
  startLogin(
    @Param('provider') id: string,
    @Query('next') next: unknown,
    @CurrentViewer() viewer: Viewer,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page | Redirect> | Redirect {
    if (viewer.user) return { redirectTo: returnTo(next) };
    return this.logins.startLogin(id, returnTo(next), request, response);
  }

  @Get('callback')
  completeLogin(
    @Param('provider') id: string,
    @Query('state') state: unknown,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page | Redirect> {
    return this.logins.completeLogin(id, state, request, response);
  }
}
