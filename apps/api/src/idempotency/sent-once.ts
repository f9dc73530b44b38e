import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { IdempotencyKey } from '@proctor/database';
import type { Request } from 'express';
import type { WithRequestor } from '../auth/requestor';
import { pathOf } from '../http/paths';
import type { WithParameters } from '../transport/body.interceptor';
import { fingerprint } from './fingerprint';
import { idempotencyKeyOf } from './idempotency-key';

/**
 * The parameter of a handler that tells whether its request is sent again: null without the header `Idempotency-Key`.
 * Only behind `BodyInterceptor`.
 * @throws Problem 400 for a header that is no key
 */
export const SentOnce = createParamDecorator(
  (_data: unknown, context: ExecutionContext): IdempotencyKey | null => {
    const request = context.switchToHttp().getRequest<Request & WithRequestor & WithParameters>();
    const key = idempotencyKeyOf(request.get('Idempotency-Key'));
    if (key === null) return null;
    const { requestor, parameters } = request;
    if (!requestor || !parameters)
      throw new Error('a route asks for its idempotency key and is not checked and read');
    return {
      keyId: requestor.keyId,
      key,
      fingerprint: fingerprint(request.method, pathOf(request), parameters),
    };
  },
);
