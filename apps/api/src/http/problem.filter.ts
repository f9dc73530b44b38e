import { Catch, Inject, Injectable, Logger, NotFoundException } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { Express, Request, Response } from 'express';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { Templates } from '../pages/page';
import { allowedMethods } from './allowed-methods';
import { pathOf } from './paths';
import { notFound, Problem } from './problem';
import { problemOf } from './problem-of';
import { answerAndClose, hasBodyWithoutEnd } from './unfinished-body';

/** The one place where an error becomes an answer: a problem document, or a page for browsers outside the API. */
@Injectable()
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Problem');

  constructor(
    private readonly templates: Templates,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const problem =
      error instanceof NotFoundException && !request.route ? unrouted(request) : problemOf(error);
    if (problem.status >= 500) this.log(request, problem, error);
    if (response.headersSent) {
      // Part of an answer is out: only a broken connection tells the client that the rest is missing.
      response.destroy();
      return;
    }
    // They are of the answer that did not come to be.
    for (const validator of ['ETag', 'Last-Modified']) response.removeHeader(validator);
    response.status(problem.status).set(problem.headers).set('Cache-Control', 'no-store');
    const isPage = wantsPage(request);
    response.type(isPage ? 'html' : 'application/problem+json');
    const answer = isPage
      ? this.templates.render('problem', { problem })
      : JSON.stringify(problem.document());
    const { bodyBytesMax, refusedBodyMs } = this.configuration.server;
    if (hasBodyWithoutEnd(request, bodyBytesMax)) {
      answerAndClose(request, response, answer, refusedBodyMs);
      return;
    }
    // What the client still sends is read and dropped, so that it gets to reading the answer.
    request.resume();
    response.send(answer);
  }

  private log(request: Request, problem: Problem, error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error));
    const where = `${request.method} ${pathOf(request)}: ${problem.status}`;
    // An outage is one line; only what nobody foresaw needs its stack.
    if (problem.status === 500) this.logger.error(`${where} ${reason.message}`, reason.stack);
    else this.logger.warn(`${where} ${reason.message}`);
  }
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
