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
 * Repeats the answer to an earlier request before all other checks, because the rules of the deployment may have
 * changed. For a new request the handler gets the claim, which it must store in the transaction of its work: see
 * `Claim`. It must follow `BodyInterceptor`.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly keptAnswers: KeptAnswers) {}

  /** @throws Problem 400 for an invalid header; 409 if the key was used for another request */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<ContextRequest>();
    request.claim = await claimOf(request);
    const earlier = request.claim && (await this.keptAnswers.find(request.claim));
    return earlier ? of(answerOf(earlier)) : next.handle();
  }
}

/** The parameter of a handler for the claim of its request; null if the request may be executed twice. */
export const Claim = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const { claim } = context.switchToHttp().getRequest<RequestContext>();
  if (claim === undefined) throw new Error('a route asks for a claim and has no IdempotencyInterceptor');
  return claim;
});

/**
 * The answer to a request that its client may have sent before.
 * @throws Problem 409 if the key was used for another request
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
