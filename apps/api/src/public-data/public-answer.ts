import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map } from 'rxjs';
import type { Observable } from 'rxjs';
import { PublicCache } from './public-cache';

/** The answer of a handler of the public data. */
export interface PublicAnswer<Content> {
  /** JSON, or the text of another `type`. */
  content: Content;
  type?: string;
  /** When the rows of the answer were written. */
  updates: Date[];
  /** 0: caches must ask each time, and get a 304 while nothing has changed. */
  maxAgeSeconds: number;
  headers?: Record<string, string>;
}

/** Sends answers with headers for caches. */
@Injectable()
export class PublicAnswerInterceptor implements NestInterceptor<PublicAnswer<unknown>, string> {
  constructor(private readonly cache: PublicCache) {}

  intercept(context: ExecutionContext, next: CallHandler<PublicAnswer<unknown>>): Observable<string> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map(({ content, type = 'json', updates, maxAgeSeconds, headers = {} }) => {
        this.cache.mark(response, updates, maxAgeSeconds);
        response.set(headers).type(type);
        return typeof content === 'string' ? content : JSON.stringify(content);
      }),
    );
  }
}
