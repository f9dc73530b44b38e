import { createParamDecorator, Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { KeptAnswers } from '@proctor/database';
import type { IdempotencyKey, Once } from '@proctor/database';
import { of } from 'rxjs';
import type { Observable } from 'rxjs';
import { pathOf } from './paths';
import { fingerprint, idempotencyKeyOf, keyIsTaken } from './idempotency-key';
import { inSlices } from './slices';
import type { ContextRequest, RequestContext } from './request-context';

/**
 * Answers a request that was answered before, ahead of any other check: the rules of the deployment may have changed
 * since. Of another one the handler gets the claim, which it must store in the transaction that does the work: see
 * `Claim`. Only behind `BodyInterceptor`.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly keptAnswers: KeptAnswers) {}

  /** @throws Problem 400 for a header that is no key; 409 when the key was used for another request */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<ContextRequest>();
    request.claim = await claimOf(request);
    const earlier = request.claim && (await this.keptAnswers.find(request.claim));
    return earlier ? of(answerOf(earlier)) : next.handle();
  }
}

/** The parameter of a handler that holds its request's claim; null when the request may create things twice. */
export const Claim = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const { claim } = context.switchToHttp().getRequest<RequestContext>();
  if (claim === undefined) throw new Error('a route asks for a claim and has no IdempotencyInterceptor');
  return claim;
});

/**
 * The answer to a request that its client may have sent before.
 * @throws Problem 409 when the key was used for another one
 */
export function answerOf(outcome: Once): unknown {
  if (outcome.kind === 'conflict') throw keyIsTaken();
  return outcome.answer;
}

async function claimOf(request: ContextRequest): Promise<IdempotencyKey | null> {
  const key = idempotencyKeyOf(request.get('Idempotency-Key'));
  if (key === null) return null;
  const { requestor, parameters } = request;
  if (!requestor || !parameters)
    throw new Error('a route claims an idempotency key and is not checked and read');
  const { keyId } = requestor;
  const steps = fingerprint(request.method, pathOf(request), parameters);
  return { keyId, key, fingerprint: await inSlices(steps) };
}
