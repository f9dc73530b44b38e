import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { ignoredParameters, watchQuery } from '../../http/ignored-parameters';
import { pathOf } from '../../http/paths';
import type { ContextRequest } from '../../http/request-context';
import { PublicCache } from '../../public-data/public-cache';
import { Viewer } from '../../sessions/viewer';
import { ServiceState } from './service-state';
import { Templates } from './templates';

/** What a handler of a page answers. */
export interface Page {
  /** Name of a file in `views`, without `.eta`. */
  template: string;
  data: object;
  /** Of a page that is made from rows alone: when they were last written, which is its age. */
  updates?: Date[];
}

/** The answer of a handler that leads elsewhere. */
export interface Redirect {
  /** A path of this server, or the address of a login provider. */
  redirectTo: string;
}

/** Sends pages. One without an age is not kept, unless its route says otherwise. */
@Injectable()
export class PageInterceptor implements NestInterceptor<Page | Redirect, string> {
  constructor(
    private readonly templates: Templates,
    private readonly cache: PublicCache,
    private readonly state: ServiceState,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<Page | Redirect>): Observable<string> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<ContextRequest>(), http.getResponse<Response>()];
    if (request.method !== 'POST') watchQuery(request);
    return next.handle().pipe(
      mergeMap(async (answer) => {
        if ('redirectTo' in answer) {
          // What a form was sent for is done; the browser asks for the next page by GET.
          const status = request.method === 'POST' ? 303 : 302;
          response.status(status).set({ Location: answer.redirectTo, 'Cache-Control': 'no-cache' });
          return '';
        }
        const { template, data, updates } = answer;
        if (updates) this.cache.mark(response, updates, 0);
        else if (!response.hasHeader('Cache-Control')) response.set('Cache-Control', 'no-cache');
        response.type('html');
        const { viewer = Viewer.ANONYMOUS } = request;
        const frame = await this.state.frame(viewer.user !== null || Boolean(request.visitor));
        // What a query asks for is one of views without end.
        const isUnindexed = request.originalUrl.includes('?');
        // What a form was answered with cannot be asked for again.
        const here = request.method === 'POST' ? '/' : request.originalUrl;
        const ignored = ignoredParameters(request);
        const own = { pagePath: pathOf(request), here, viewer, frame, isUnindexed, ignored };
        return this.templates.render(template, { ...own, ...data });
      }),
    );
  }
}
