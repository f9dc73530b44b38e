import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Eta } from 'eta';
import type { Response } from 'express';
import { map } from 'rxjs';
import type { Observable } from 'rxjs';
import { PublicCache } from '../public-data/public-cache';

export const ASSETS_PATH = join(__dirname, 'assets');

/** The pages' templates. Every value they write is escaped. */
@Injectable()
export class Templates {
  private readonly eta = new Eta({ views: join(__dirname, 'views'), cache: true, autoEscape: true });

  /** @param page name of a file in `views`, without `.eta` */
  render(page: string, data: object): string {
    return this.eta.render(page, data);
  }
}

/** What a handler of a page answers. */
export interface Page {
  /** Name of a file in `views`, without `.eta`. */
  template: string;
  data: object;
  /** Of a page that is made from rows alone: when they were last written, which is its age. */
  updates?: Date[];
}

/** Sends pages. One without an age is not kept, unless its route says otherwise. */
@Injectable()
export class PageInterceptor implements NestInterceptor<Page, string> {
  constructor(
    private readonly templates: Templates,
    private readonly cache: PublicCache,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<Page>): Observable<string> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map(({ template, data, updates }) => {
        if (updates) this.cache.mark(response, updates, 0);
        else if (!response.hasHeader('Cache-Control')) response.set('Cache-Control', 'no-cache');
        response.type('html');
        return this.templates.render(template, data);
      }),
    );
  }
}
