import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';

/** A request after its key was looked at. */
export interface WithRequestor {
  requestor?: AuthenticatedRequestor;
}

/** The parameter of a handler that holds who asks. A route that nobody guards fails instead of serving anybody. */
export const Requestor = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<WithRequestor>();
  if (!request.requestor) throw new Error('a route asks for the requestor and has no key check before it');
  return request.requestor;
});
