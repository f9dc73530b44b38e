import { pathOf } from '../../http/paths';
import type { Problem } from '../../http/problem';
import type { ContextRequest } from '../../http/request-context';

/**
 * The data of the page of a problem. Without a login it has a link to the login and back, because the page may
 * be one that only its owner can see.
 */
export function problemView(problem: Problem, request: ContextRequest) {
  const { requestId, viewer, method } = request;
  // There is no page at the address of a form, and a redirect has its own target.
  const pagePath = method === 'GET' && problem.status >= 400 ? pathOf(request) : '/';
  return { problem, requestId, viewer, pagePath };
}
