import { pathOf } from '../../http/paths';
import type { Problem } from '../../http/problem';
import type { ContextRequest } from '../../http/request-context';

/**
 * What the page of a problem shows. A reader without a login finds the login there, which leads back: the
 * page may be one that only its owner has.
 */
export function problemView(problem: Problem, request: ContextRequest) {
  const { requestId, viewer, method } = request;
  // What a form was sent to is no page, and a redirect leads there itself.
  const pagePath = method === 'GET' && problem.status >= 400 ? pathOf(request) : '/';
  return { problem, requestId, viewer, pagePath };
}
