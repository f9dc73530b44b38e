import { describe } from '@proctor/contracts';
import { createHash, type Hash } from 'node:crypto';
import { badRequest, Problem } from './problem';
import { isJsonName } from './shape';
import type { Parameter, Parameters } from './parameters';
import type { SlicedWork } from './slices';
import { jsonOf } from './text';

const LENGTH_MAX = 255;

/**
 * The value of the header `Idempotency-Key`; null if it is absent.
 * @throws Problem 400 if it is empty, too long, or has other characters than printable ASCII
 */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (header.length <= LENGTH_MAX && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(header)) return header;
  const rule = `must be 1 to ${LENGTH_MAX} printable ASCII characters`;
  throw badRequest(`The header Idempotency-Key ${rule}, not ${describe(header)}.`);
}

/** The refusal of a key that was already used for a different request. */
export function keyIsTaken(): Problem {
  return new Problem(409, 'The Idempotency-Key was used for another request; nothing was changed.');
}

/**
 * Identifies a request: SHA-256 in hex of method, path and parameters. Multipart boundaries, the order of names,
 * white space in JSON and the place of a parameter do not matter.
 * @throws Problem 400 or 413 for a parameter that must be JSON and is not
 */
export function* fingerprint(method: string, path: string, parameters: Parameters): SlicedWork<string> {
  const meanings: [string, unknown][] = [];
  for (const [name, parameter] of parameters) meanings.push([name, yield* meaning(name, parameter)]);
  const hash = createHash('sha256');
  // The JSON text of an object with these three, in pieces.
  const request = JSON.stringify({ method, path: path.replace(/\/$/, '') });
  hash.update(`${request.slice(0, -1)},"parameters":`);
  yield* addList(hash, meanings.sort(byName), NAMED_DEPTH);
  return hash.update('}').digest('hex');
}

/** The depth of lists that are written member by member: parameters, a name with its value, and the tests in it. */
const NAMED_DEPTH = 5;
const MEMBERS_AT_ONCE = 50;

function* addList(hash: Hash, list: unknown[], depth: number): SlicedWork<void> {
  hash.update('[');
  for (const [index, member] of list.entries()) {
    if (index > 0) hash.update(',');
    if (Array.isArray(member) && depth > 1) yield* addList(hash, member, depth - 1);
    else hash.update(JSON.stringify(member, inOrder));
    if (index % MEMBERS_AT_ONCE === 0) yield;
  }
  hash.update(']');
}

function* meaning(name: string, { value, isText, pointer }: Parameter): SlicedWork<unknown> {
  return isText && isJsonName(name) ? yield* jsonOf(value as string | Buffer, name, pointer) : value;
}

function byName([a]: unknown[], [b]: unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}

/** Objects with the same keys give the same text. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(byName));
}
