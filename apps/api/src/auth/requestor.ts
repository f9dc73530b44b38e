import { CurrentKey } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, createParamDecorator, Get, Injectable, Req } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { ContextRequest, RequestContext } from '../http/request-context';
import { type KeyScope, timestamp } from '@proctor/contracts';
import { Problem } from '../http/problem';
import type { Actor, Requestor, RunReader } from '@proctor/database';
import { actorOf } from './actor';
import { Requires } from './authentication.middleware';
import { networkOf } from '../http/network-of';
import { readerOf } from './run-reader';

/** The parameter of a handler for its requestor. A route without authentication fails. */
export const CurrentRequestor = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Requestor => {
    const request = context.switchToHttp().getRequest<ContextRequest>();
    if (!request.requestor) throw new Error('a route asks for the requestor and has no key check before it');
    return { ...request.requestor, address: networkOf(request.ip ?? '') };
  },
);

/** The parameter of a handler for the user whose keys are managed. A route without a password check fails. */
export const KeyOwner = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const request = context.switchToHttp().getRequest<ContextRequest>();
  if (!request.keyOwner)
    throw new Error('a route asks for the owner of keys and has no password check before it');
  return actorOf(request.keyOwner, request);
});

/** The reader of the API: the owner of a key, or the public for public data. */
export class ApiReader {
  constructor(readonly requestor: Requestor | null) {}

  get isAdmin(): boolean {
    return this.requestor?.isAdmin ?? false;
  }

  /** The runs that the reader may see: see `maySee`. */
  get runs(): RunReader {
    return this.requestor ? readerOf(this.requestor) : {};
  }
}

/** The parameter of a handler that also answers public data. */
export const CurrentReader = createParamDecorator(
  (_data: unknown, context: ExecutionContext): ApiReader =>
    new ApiReader(context.switchToHttp().getRequest<ContextRequest>().requestor ?? null),
);

/** Allows only keys of administrators, before the body is read. */
@Injectable()
export class AdministratorsGuard implements CanActivate {
  /** @throws Problem 403 if the key belongs to no administrator */
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
  @Operation({
    tag: 'Service',
    id: 'checkKey',
    summary: 'Check an API key',
    answer: {
      description: 'The key is valid.',
      of: CurrentKey,
      example: { user: 'britney', scope: 'everything', expires_at: null },
      headers: { 'Auth-User': { $ref: '#/components/headers/AuthUser' } },
    },
  })
  @Get()
  check(@Req() { requestor, keyLimits }: ContextRequest): {
    user: string;
    scope: KeyScope;
    expires_at: string | null;
  } {
    const { scope, expiresAt } = keyLimits!;
    return { user: requestor!.userName, scope, expires_at: expiresAt && timestamp(expiresAt) };
  }
}
