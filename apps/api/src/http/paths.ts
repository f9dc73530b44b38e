import type { NextFunction, Request, Response } from 'express';

/** `//api///v1/test?x=//` → `/api/v1/test?x=//`: clients join a base address that ends in a slash with a path. */
export function collapseSlashes(url: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  return path.replace(/\/{2,}/g, '/') + url.slice(path.length);
}

export function slashesMiddleware(request: Request, _response: Response, next: NextFunction): void {
  request.url = collapseSlashes(request.url);
  next();
}

/** The whole path of a request, also inside a middleware, where Express cuts off what it is mounted at. */
export function pathOf(request: Request): string {
  return request.baseUrl + request.path;
}
