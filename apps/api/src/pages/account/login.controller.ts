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

/** The login page. After the login the browser returns to the page that the user wanted. */
@Controller('user')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class LoginController {
  constructor(
    private readonly logins: LoginService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The address in debci of the user's own page. */
  @Get()
  own(@CurrentViewer() { user }: Viewer): Redirect {
    return { redirectTo: user ? `/user/${user.name}` : loginUrl('/user') };
  }

  /** As in debci, `original_url` is the page to return to. */
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

  /** The address to which the login providers of debci return, also after a failed login. */
  @Get('auth/*way')
  again(): Redirect {
    return { redirectTo: '/user/login' };
  }

  /** A link on another site cannot log a user out: it leads to the user's own page, which has the button. */
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

  @Form('login', {
    page: (pages: LoginController, request) => pages.formPage(request),
    field: 'password',
    refusal: 'You are not logged in.',
  })
  login(
    @Sent() form: LoginForm,
    @Req() request: ContextRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Redirect> {
    return this.logins.login(form, request, response);
  }

  private formPage(request: ContextRequest): Promise<Page> {
    return this.logins.page(request, request.res!, returnTo(request.parameters?.get('next')?.value));
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

/** Redirects to the request form, from pages that are the same for all readers. */
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
