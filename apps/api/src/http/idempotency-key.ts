import { badRequest, describe, Problem } from './problem';

const LENGTH_MAX = 255;

/**
 * The value of the header `Idempotency-Key`; null when it is not there.
 * @throws Problem 400 for an empty or long one, or one with other characters than printable ASCII
 */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (header.length <= LENGTH_MAX && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(header)) return header;
  const rule = `must be 1 to ${LENGTH_MAX} printable ASCII characters`;
  throw badRequest(`The header Idempotency-Key ${rule}, not ${describe(header)}.`);
}

/** The same key came with another request. */
export function keyIsTaken(): Problem {
  return new Problem(409, 'The Idempotency-Key was used for another request; nothing was changed.');
}
