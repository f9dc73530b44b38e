import { Controller, createParamDecorator, Get, Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { RequestContext } from '../http/request-context';
import { Problem } from '../http/problem';
import type { Requestor } from '@proctor/database';
import { Requires } from './authentication.middleware';

/** The parameter of a handler that holds its requestor. A route without authentication fails. */
export const CurrentRequestor = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<RequestContext>();
  if (!request.requestor) throw new Error('a route asks for the requestor and has no key check before it');
  return request.requestor;
});

/** The same for the endpoints of keys, which ask for a password: the user whose keys they are. */
export const KeyOwner = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<RequestContext>();
  if (!request.keyOwner)
    throw new Error('a route asks for the owner of keys and has no password check before it');
  return request.keyOwner;
});

/** Lets administrators' keys through, before a body is read. */
@Injectable()
export class AdministratorsGuard implements CanActivate {
  /** @throws Problem 403 */
  canActivate(context: ExecutionContext): boolean {
    const { requestor } = context.switchToHttp().getRequest<RequestContext>();
    if (requestor?.isAdmin) return true;
    throw new Problem(403, 'This is for administrators: the API key must belong to one.');
  }
}

@Controller('api/v1/auth')
@Requires('key')
export class AuthController {
  /** Answered only for a valid key. */
  @Get()
  check(@CurrentRequestor() requestor: Requestor): { user: string } {
    return { user: requestor.userName };
  }
}
