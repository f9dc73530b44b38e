import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { basicCredentials } from '../auth/basic-credentials';
import { pathOf } from '../http/paths';
import { fingerprint } from '../http/fingerprint';
import { idempotencyKeyOf } from '../http/idempotency-key';
import type { WithParameters } from '../http/body.interceptor';
import type { Sealing } from './sealing';

/**
 * The parameter of a handler behind a password and `BodyInterceptor`: null without the header `Idempotency-Key`.
 * @throws Problem 400 for a header that is no key
 */
export const SentSealed = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Sealing | null => {
    const request = context.switchToHttp().getRequest<Request & WithParameters>();
    const word = idempotencyKeyOf(request.get('Idempotency-Key'));
    if (word === null) return null;
    const password = basicCredentials(request.get('Authorization'))?.password;
    const { parameters } = request;
    if (password === undefined || !parameters) throw new Error('a route seals and is not checked and read');
    return { word, password, fingerprint: fingerprint(request.method, pathOf(request), parameters) };
  },
);
