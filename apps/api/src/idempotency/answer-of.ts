import type { Once } from '@proctor/database';
import { keyIsTaken } from './idempotency-key';

/**
 * The answer to a request that its client may have sent before.
 * @throws Problem 409 when the key was used for another one
 */
export function answerOf(outcome: Once): unknown {
  if (outcome.kind === 'conflict') throw keyIsTaken();
  return outcome.answer;
}
