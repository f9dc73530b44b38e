import { createHash } from 'node:crypto';
import { isJsonName } from './shape';
import type { Parameter, Parameters } from './parameters';
import { json } from './text';

/**
 * What makes two requests the same: SHA-256 in hex of method, path and parameters as they were read. Boundaries of
 * multipart bodies, the order of names, white space in JSON and where a parameter travelled make no difference.
 * @throws Problem 400, 413 for a parameter that is no JSON and should be
 */
export function fingerprint(method: string, path: string, parameters: Parameters): string {
  const named = [...parameters].map(([name, parameter]) => [name, meaning(name, parameter)]);
  const request = { method, path: path.replace(/\/$/, ''), parameters: named.sort(byName) };
  return createHash('sha256').update(JSON.stringify(request, inOrder)).digest('hex');
}

function meaning(name: string, { value, isText, pointer }: Parameter): unknown {
  return isText && isJsonName(name) ? json(value as string, name, pointer) : value;
}

function byName([a]: unknown[], [b]: unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}

/** Objects with the same keys look the same. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(byName));
}
