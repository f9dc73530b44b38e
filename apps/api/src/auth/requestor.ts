import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor, User } from '@proctor/database';

/** A request after its key was looked at. */
export interface WithRequestor {
  requestor?: AuthenticatedRequestor;
}

/** A request that needs no key: whose it is, when it has one. */
export interface WithVisitor {
  visitor?: AuthenticatedRequestor | null;
}

/** A request after its user's password was looked at. */
export interface WithKeyOwner {
  keyOwner?: User;
}

/** The parameter of a handler that holds who asks. A route that nobody guards fails instead of serving anybody. */
export const Requestor = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<WithRequestor>();
  if (!request.requestor) throw new Error('a route asks for the requestor and has no key check before it');
  return request.requestor;
});

/** The same for the endpoints of keys, which ask for a password: the user whose keys they are. */
export const KeyOwner = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<WithKeyOwner>();
  if (!request.keyOwner)
    throw new Error('a route asks for the owner of keys and has no password check before it');
  return request.keyOwner;
});
