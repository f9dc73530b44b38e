import type { KeyScope } from '@proctor/contracts';

/** The scope that a key needs; `any`: all scopes will do. */
type NeededScope = KeyScope | 'any';

/** A `POST` to these paths submits or repeats tests. All other changes need the scope `everything`. */
const SUBMISSIONS = /^\/api\/v1\/(test\/batch|test\/[^/]+\/[^/]+(\/[^/]+)?|retry\/[^/]+)\/?$/;

/** The scope that a request of the API needs. */
export function neededScope(method: string, path: string): NeededScope {
  if (/^\/api\/v1\/auth\/?$/.test(path)) return 'any';
  if (method === 'GET' || method === 'HEAD') return 'read';
  return method === 'POST' && SUBMISSIONS.test(path) ? 'submit' : 'everything';
}

/** Whether a key of this scope may send a request that needs `needed`. */
export function suffices(scope: KeyScope, needed: NeededScope): boolean {
  return needed === 'any' || scope === 'everything' || scope === needed;
}
