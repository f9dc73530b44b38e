import type { Request, Response } from 'express';
import { lastModified } from './last-modified';

/** Nothing that this process makes is older: another release may make something else of the same rows. */
const STARTED = new Date();

/**
 * The headers that say how long an answer of the public data may be kept, and how old it is. Who asks by the time
 * alone while rows of that time may still appear gets a whole answer: the request's condition is taken away.
 * @param updates of the rows that it was made from; the newest counts: an old run may have been published lately
 * @param maxAgeSeconds 0: it must be asked for again each time, which costs a 304 while nothing changed
 */
export function publicHeaders(
  request: Request,
  updates: Date[],
  maxAgeSeconds: number,
): Record<string, string> {
  const newest = updates.reduce((latest, update) => (update > latest ? update : latest), STARTED);
  const { header, isSettled } = lastModified(newest, new Date());
  if (!isSettled) delete request.headers['if-modified-since'];
  return {
    'Cache-Control': maxAgeSeconds > 0 ? `public, max-age=${maxAgeSeconds}` : 'public, no-cache',
    'Last-Modified': header,
  };
}

export function markPublic(response: Response, updates: Date[], maxAgeSeconds: number): void {
  response.set(publicHeaders(response.req, updates, maxAgeSeconds));
}
