import { Controller, Get, HttpCode, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import type { ContextRequest } from '../../http/request-context';
import { Sent } from '../../http/body.interceptor';
import { TakesForm } from '../../sessions/form-protection';
import { loginUrl, returnTo } from '../../sessions/return-to';
import { CurrentViewer } from '../../sessions/viewer';
import type { Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../frame/page';
import type { Page, Redirect } from '../frame/page';
import { LoginForm, LoginService } from './login.service';

/** The door: who comes in is sent back to where they were going. */
@Controller('user')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class LoginController {
  constructor(private readonly logins: LoginService) {}

  @Get('login')
  async page(
    @Query('next') next: unknown,
    @CurrentViewer() viewer: Viewer,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page | Redirect> {
    if (viewer.user) return { redirectTo: returnTo(next) };
    return this.logins.page(request, response, returnTo(next));
  }

  @Post('login')
  @HttpCode(200)
  @TakesForm()
  login(
    @Sent() form: LoginForm,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page | Redirect> {
    return this.logins.login(form, request, response);
  }

  @Post('logout')
  @HttpCode(200)
  @TakesForm()
  logout(
    @CurrentViewer() viewer: Viewer,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page | Redirect> {
    return this.logins.logout(viewer, request, response);
  }
}

/** The way to the form for requests from pages that do not know who reads them. */
@Controller('-/request')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class RequestWayController {
  @Get()
  lead(@CurrentViewer() { user }: Viewer, @Req() request: ContextRequest): Redirect {
    const [, query = ''] = /(\?.*)$/.exec(request.originalUrl) ?? [];
    return { redirectTo: user ? `/user/${user.name}/test${query}` : loginUrl(`/-/request${query}`) };
  }
}
