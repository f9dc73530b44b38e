import { Catch, Inject, Injectable, Logger, NotFoundException } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { Express, Request, Response } from 'express';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { loggedPath } from './logged-path';
import { pathOf } from './paths';
import { notFound, Problem } from './problem';
import { problemOf } from './problem-of';
import type { ContextRequest } from './request-context';

/** Where a `ProblemPage` is injected. */
export const PROBLEM_PAGE = Symbol('problem page');

/** Renders the HTML page of a problem for the user of the request. */
export type ProblemPage = (problem: Problem, request: ContextRequest) => string;

/** Converts every error to an answer: a problem document, or a page for browsers outside the API. */
@Injectable()
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Problem');

  constructor(
    @Inject(PROBLEM_PAGE) private readonly page: ProblemPage,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<ContextRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    const problem =
      error instanceof NotFoundException && !isRouted(request)
        ? unrouted(request)
        : problemOf(error, request.parameters);
    if (problem.status >= 500) this.log(request, problem, error);
    if (response.headersSent) {
      // A part of the answer was sent: only a closed connection shows the client that the rest is missing.
      response.destroy();
      return;
    }
    // These headers belong to the answer that failed.
    for (const validator of ['ETag', 'Last-Modified']) response.removeHeader(validator);
    response.status(problem.status).set(problem.headers).set('Cache-Control', 'no-store');
    const isPage = wantsPage(request);
    response.type(isPage ? 'html' : 'application/problem+json');
    const { requestId } = request;
    const answer = isPage
      ? this.page(problem, request)
      : JSON.stringify({ ...problem.document(), ...(requestId !== undefined && { request_id: requestId }) });
    const { bodyBytesMax, refusedBodyMs } = this.configuration.server;
    if (hasBodyWithoutEnd(request, bodyBytesMax)) {
      answerAndClose(request, response, answer, refusedBodyMs);
      return;
    }
    // The rest of the request is read and dropped, so that the client reads the answer.
    request.resume();
    response.send(answer);
  }

  private log(request: Request, problem: Problem, error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error));
    const where = `${request.method} ${loggedPath(pathOf(request))}: ${problem.status}`;
    // An outage needs one line; only an unexpected error needs its stack.
    if (problem.status === 500) this.logger.error(`${where} ${reason.message}`, reason.stack);
    else this.logger.warn(`${where} ${reason.message}`);
  }
}

/** Express names a route for HEAD at each of its paths, also if no handler answers it. */
function isRouted({ method, route }: ContextRequest): boolean {
  const { methods } = (route ?? { methods: {} }) as NonNullable<Layer['route']>;
  return Boolean(methods[method.toLowerCase()]) || (method === 'HEAD' && Boolean(methods['get']));
}

function unrouted(request: Request): Problem {
  const path = pathOf(request);
  const allow = allowedMethods(request.app as Express, path);
  if (allow.length === 0) return notFound(`There is nothing at ${path}.`);
  const detail = `${request.method} is not possible at ${path}; it takes ${allow.join(', ')}.`;
  return new Problem(405, detail, { headers: { Allow: allow.join(', ') } });
}

function wantsPage(request: Request): boolean {
  if (/^\/api(\/|$)/.test(pathOf(request))) return false;
  return request.accepts(['application/problem+json', 'text/html']) === 'text/html';
}

/** The used part of Express's layers, which its types do not describe. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/**
 * The methods of all routes at a path, in upper case; empty if no route has the path.
 * @throws URIError if a part of the path cannot be decoded
 */
function allowedMethods(express: Express, path: string): string[] {
  const layers = (express.router as unknown as { stack: Layer[] }).stack;
  const methods = new Set<string>();
  for (const layer of layers) {
    if (!layer.route || !layer.match(path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

/** Whether the rest of the body is longer than the limit, or of unknown length. */
function hasBodyWithoutEnd(request: Request, bodyBytesMax: number): boolean {
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
  if (request.complete) return false;
  return chunked !== undefined || Number(length) > bodyBytesMax;
}

/**
 * Sends the whole answer, reads and drops the rest of the request, so that the client reads the answer, and closes
 * the connection.
 * @param dropMs how long the rest is read
 */
function answerAndClose(request: Request, response: Response, answer: string, dropMs: number): void {
  // With compression, the last bytes would wait for the end.
  response.set({ Connection: 'close', 'Cache-Control': 'no-store, no-transform' });
  response.set('Content-Length', String(Buffer.byteLength(answer)));
  response.write(answer);
  const close = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(close, dropMs);
  request.once('close', close);
  request.resume();
}
