import type { KeyScope } from '@proctor/contracts';

/** What a key must be good for; `any`: whatever it is good for. */
export type NeededScope = KeyScope | 'any';

/** `POST` to them asks for tests, or repeats one; all else that is no reading takes everything. */
const SUBMISSIONS = /^\/api\/v1\/(test\/batch|test\/[^/]+\/[^/]+(\/[^/]+)?|retry\/[^/]+)\/?$/;

/** The one place that says which scope a request of the API needs. */
export function neededScope(method: string, path: string): NeededScope {
  if (/^\/api\/v1\/auth\/?$/.test(path)) return 'any';
  if (method === 'GET' || method === 'HEAD') return 'read';
  return method === 'POST' && SUBMISSIONS.test(path) ? 'submit' : 'everything';
}

export function suffices(scope: KeyScope, needed: NeededScope): boolean {
  return needed === 'any' || scope === 'everything' || scope === needed;
}
