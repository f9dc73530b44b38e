import { applyDecorators, Inject, Injectable, UseGuards, UseInterceptors } from '@nestjs/common';
import type { CallHandler, CanActivate, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { csrfSync } from 'csrf-sync';
import type { Observable } from 'rxjs';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { BodyInterceptor } from '../http/body.interceptor';
import { baseUrl } from '../http/paths';
import { Problem } from '../http/problem';
import type { ContextRequest } from '../http/request-context';
import type { BegunLogin, ProviderSession } from './login-providers';

declare module 'express-session' {
  interface SessionData {
    /** The logged-in user. */
    userId: number;
    /** Logins without an answer of the provider yet, the oldest first. */
    begun: BegunLogin[];
    /** The user's session at the login provider, if it can be ended there. */
    provider: ProviderSession;
  }
}

/** The field of each form that proves that the form is ours. */
export const FORM_TOKEN = 'form_token';

const TOKEN_BYTES = 32;

const tokens = csrfSync({ size: TOKEN_BYTES });

/** The token of the session; it is created if there is none. */
export function formTokenOf(request: ContextRequest): string {
  return tokens.generateToken(request);
}

/**
 * Checks the origin of a form by headers that only browsers set: `Sec-Fetch-Site`, else `Origin`. One of them is
 * required.
 */
@Injectable()
export class SameOriginGuard implements CanActivate {
  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /** @throws Problem 403 if the request comes from another origin */
  canActivate(context: ExecutionContext): boolean {
    requireSameOrigin(
      context.switchToHttp().getRequest<ContextRequest>(),
      this.configuration.server.publicUrl,
    );
    return true;
  }
}

/** @throws Problem 403 unless the request comes from one of this server's own pages */
export function requireSameOrigin(request: ContextRequest, publicUrl: string | undefined): void {
  const site = request.get('Sec-Fetch-Site');
  if (site === 'same-origin' || site === 'none') return;
  const own = new URL(baseUrl(request, publicUrl)).origin;
  if (site === undefined && request.get('Origin') === own) return;
  throw new Problem(403, `The form was not sent from a page of ${own}; nothing was changed.`);
}

/** Removes the token from the parameters, so that only the form's own fields remain. */
@Injectable()
class FormTokenInterceptor implements NestInterceptor {
  /** @throws Problem 403 without the token of the session */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<ContextRequest>();
    requireToken(request, request.parameters?.get(FORM_TOKEN)?.value);
    request.parameters?.delete(FORM_TOKEN);
    return next.handle();
  }
}

/** @throws Problem 403 for any other text than the token of the session */
export function requireToken(request: ContextRequest, token: unknown): void {
  const expected = request.session?.csrfToken;
  if (typeof token === 'string' && typeof expected === 'string' && token === expected) return;
  const detail =
    'The form is too old, or was made for another login; nothing was changed. Load its page again.';
  throw new Problem(403, detail);
}

/** Marks each handler that receives a form of a page: the body is read, and the form must be ours. */
export function TakesForm(): MethodDecorator {
  return applyDecorators(UseGuards(SameOriginGuard), UseInterceptors(BodyInterceptor, FormTokenInterceptor));
}
