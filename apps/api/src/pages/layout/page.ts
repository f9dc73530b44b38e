import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { type Follow, Follows } from '@proctor/database';
import type { Response } from 'express';
import { mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { ignoredParameters, watchQuery } from '../../http/ignored-parameters';
import { pathOf } from '../../http/paths';
import type { ContextRequest } from '../../http/request-context';
import { PublicCache } from '../../public-data/public-cache';
import { Viewer } from '../../sessions/viewer';
import { type Followable, followableOf } from './followable';
import { Forms } from './forms';
import type { RefusedForm } from './forms';
import { readNotice, saveNotice } from './session-notice';
import { ServiceState } from './service-state';
import { Templates } from './templates';

/** The result of a handler: a page. */
export interface Page {
  /** Name of a template in `views`, without `.eta`. */
  template: string;
  data: object;
  /** When the rows of the page were last written; the latest is Last-Modified. Only for pages made from rows alone. */
  updates?: Date[];
  /** A form of the page that was refused. */
  refusedForm?: RefusedForm;
  /** The token of its forms when there is no login. */
  formToken?: string;
  /** What readers can follow by a button on the page: `layout/follow`. */
  followable?: Follow;
}

/** The result of a handler: a redirect. */
export interface Redirect {
  /** A path of this server, or the address of a login provider. */
  redirectTo: string;
  /** A sentence for the page that opens then. Each `run 12` in it becomes a link. */
  notice?: string;
}

/** Sends pages. Caches do not keep a page without Last-Modified, unless its route sets Cache-Control. */
@Injectable()
export class PageInterceptor implements NestInterceptor<Page | Redirect, string> {
  constructor(
    private readonly templates: Templates,
    private readonly cache: PublicCache,
    private readonly state: ServiceState,
    private readonly follows: Follows,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<Page | Redirect>): Observable<string> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<ContextRequest>(), http.getResponse<Response>()];
    if (request.method !== 'POST') watchQuery(request);
    return next.handle().pipe(
      mergeMap(async (answer) => {
        if ('redirectTo' in answer) {
          if (answer.notice !== undefined) await saveNotice(request, answer.notice);
          // After a form the browser must load the next page with GET.
          const status = request.method === 'POST' ? 303 : 302;
          response.status(status).set({ Location: answer.redirectTo, 'Cache-Control': 'no-cache' });
          return '';
        }
        const { template, data, updates, followable, formToken } = answer;
        const { viewer = Viewer.ANONYMOUS } = request;
        // What a user follows changes without a change of these rows.
        if (updates && !(followable && viewer.user)) this.cache.mark(response, updates, 0);
        else if (!response.hasHeader('Cache-Control')) response.set('Cache-Control', 'no-cache');
        response.type('html');
        const frame = await this.state.frame(viewer.user !== null || Boolean(request.visitor));
        // There is no end of pages with queries, so search engines should not index them.
        const isUnindexed = request.originalUrl.includes('?');
        // The answer to a form cannot be loaded again.
        const here = request.method === 'POST' ? '/' : request.originalUrl;
        const ignored = ignoredParameters(request);
        const forms = new Forms(formToken ?? viewer.formToken, answer.refusedForm ?? null);
        const notice = readNotice(request);
        const own = {
          pagePath: pathOf(request),
          here,
          viewer,
          frame,
          isUnindexed,
          ignored,
          forms,
          notice,
          followable: followable && (await this.withState(followable, viewer)),
        };
        return this.templates.render(template, { ...own, ...data });
      }),
    );
  }

  private async withState(follow: Follow, { user }: Viewer): Promise<Followable> {
    return followableOf(follow, user && (await this.follows.isFollowed(user.userId, follow)));
  }
}
