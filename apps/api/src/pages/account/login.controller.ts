import { Controller, Get, Inject, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { baseUrl } from '../../http/paths';
import type { ContextRequest } from '../../http/request-context';
import { Sent } from '../../http/body.interceptor';
import { loginUrl, returnTo, withoutBase } from '../../sessions/return-to';
import { CurrentViewer } from '../../sessions/viewer';
import type { Viewer } from '../../sessions/viewer';
import { Form } from '../layout/form-action';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { LoginForm, LoginService } from './login.service';

/** The door: who comes in is sent back to where they were going. */
@Controller('user')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class LoginController {
  constructor(
    private readonly logins: LoginService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** debci's way to one's own page. */
  @Get()
  own(@CurrentViewer() { user }: Viewer): Redirect {
    return { redirectTo: user ? `/user/${user.name}` : loginUrl('/user') };
  }

  /** debci leads back to `original_url`. */
  @Get('login')
  async page(
    @Query('next') next: unknown,
    @Query('original_url') original: unknown,
    @CurrentViewer() viewer: Viewer,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page | Redirect> {
    const goal = returnTo(
      next ?? withoutBase(original, baseUrl(request, this.configuration.server.publicUrl)),
    );
    if (viewer.user) return { redirectTo: goal };
    return this.logins.page(request, response, goal);
  }

  /** Where the login providers of debci come back to, also without success. */
  @Get('auth/*way')
  again(): Redirect {
    return { redirectTo: '/user/login' };
  }

  /** A page of another site cannot log anybody out: its link leads to one's own page, where the button is. */
  @Get('logout')
  async logoutByAddress(
    @CurrentViewer() viewer: Viewer,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page | Redirect> {
    if (!viewer.user) return { redirectTo: '/' };
    const isTyped = ['none', 'same-origin'].includes(request.get('Sec-Fetch-Site') ?? '');
    const isAhead = request.get('Sec-Purpose') !== undefined;
    if (!isTyped || isAhead) return { redirectTo: `/user/${viewer.user.name}` };
    return this.logins.logout(viewer, request, response);
  }

  @Form('login')
  login(
    @Sent() form: LoginForm,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page | Redirect> {
    return this.logins.login(form, request, response);
  }

  @Form('logout')
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
    const [query = ''] = /\?.*/.exec(request.originalUrl) ?? [];
    return { redirectTo: user ? `/user/${user.name}/test${query}` : loginUrl(`/-/request${query}`) };
  }
}
