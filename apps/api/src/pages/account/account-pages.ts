import {
  applyDecorators,
  createParamDecorator,
  Injectable,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { CanActivate, ExecutionContext, PipeTransform } from '@nestjs/common';
import type { Actor, Requestor, User } from '@proctor/database';
import { actorOf } from '../../auth/actor';
import { pathOf } from '../../http/paths';
import { Problem } from '../../http/problem';
import type { ContextRequest } from '../../http/request-context';
import { BrowserSessions } from '../../sessions/browser-sessions';
import { loginUrl } from '../../sessions/return-to';
import type { Viewer } from '../../sessions/viewer';
import { PageInterceptor } from '../layout/page';

const READING = ['GET', 'HEAD'];

/** Allows users only their own pages, `/user/{name}/…`. */
@Injectable()
class OwnPagesGuard implements CanActivate {
  /** @throws Problem like `requireLogin`; 403 for the pages of another user */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ContextRequest>();
    const user = requireLogin(request);
    if (request.params['user'] === user.name) return true;
    const { method, originalUrl } = request;
    // Links of other sites to the retry page may have the name of another user.
    const rest = READING.includes(method) ? /^\/user\/[^/]+(\/retry\/.*)$/.exec(originalUrl)?.[1] : undefined;
    if (rest !== undefined)
      throw new Problem(302, 'You have your own page for this.', {
        headers: { Location: `/user/${user.name}${rest}` },
      });
    throw new Problem(403, 'This page belongs to another user.');
  }
}

/** Allows only users who are logged in. It runs before the form is read. */
@Injectable()
export class LoginGuard implements CanActivate {
  /** @throws Problem like `requireLogin` */
  canActivate(context: ExecutionContext): boolean {
    requireLogin(context.switchToHttp().getRequest<ContextRequest>());
    return true;
  }
}

/** @throws Problem without a login: 303 to the login for a browser, 403 for any other client */
export function requireLogin(request: ContextRequest): NonNullable<Viewer['user']> {
  const user = request.viewer?.user;
  if (user) return user;
  const isBrowser = (request.get('Accept') ?? '').includes('text/html');
  if (!isBrowser) throw new Problem(403, 'Only users who are logged in may do this.');
  // After the login the browser returns to a page; it does not send a form again.
  const path = READING.includes(request.method) ? request.originalUrl : pathOf(request);
  throw new Problem(303, 'Log in first.', { headers: { Location: loginUrl(path) } });
}

/** A parameter of a handler: the user who is logged in. */
export const CurrentUser = createParamDecorator((_data: unknown, context: ExecutionContext): User =>
  requireLogin(context.switchToHttp().getRequest<ContextRequest>()),
);

/** The user who is logged in, as the audit log records users. @throws Problem like `requireLogin` */
export function actorOfPage(request: ContextRequest): Actor & Pick<User, 'userId'> {
  const user = requireLogin(request);
  return { ...actorOf(user, request), userId: user.userId };
}

/** A parameter of a handler: see `actorOfPage`. */
export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  actorOfPage(context.switchToHttp().getRequest<ContextRequest>()),
);

@Injectable()
class SessionRequestorPipe implements PipeTransform<User, Promise<Requestor>> {
  constructor(private readonly sessions: BrowserSessions) {}

  transform(user: User): Promise<Requestor> {
    return this.sessions.requestorOf(user);
  }
}

/** A parameter of a handler: the user who is logged in, as the requestor for the services of the API. */
export const SessionRequestor = (): ParameterDecorator => CurrentUser(SessionRequestorPipe);

/** A decorator for controllers of users' own pages; with `isData`, for JSON instead of pages. */
export const OwnPages = ({ isData = false } = {}): ClassDecorator =>
  isData
    ? UseGuards(OwnPagesGuard)
    : applyDecorators(UseGuards(OwnPagesGuard), UseInterceptors(PageInterceptor));
