import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { pipelineToClient } from '../http/pipeline-to-client';

/**
 * The document of `GET /api/v1/test` in pieces, as fast as the client reads: memory does not grow with the number of
 * results.
 * @param pages see `Results.since`
 */
export async function* resultList(
  until: number,
  pages: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  yield `{"until":${until},"results":[`;
  let separator = '';
  for await (const page of pages) {
    yield separator + page;
    separator = ',';
  }
  yield ']}';
}

/** The document without results. */
export function emptyList(until: number): string {
  return `{"until":${until},"results":[]}`;
}

/** Sends text piece by piece; ends the source when the client disconnects. */
export async function sendJsonStream(
  request: Request,
  response: Response,
  text: string | AsyncIterable<string>,
): Promise<void> {
  response.status(200).type('application/json');
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  if (typeof text === 'string') {
    response.set('Content-Length', String(Buffer.byteLength(text))).end(text);
    return;
  }
  // Strings are written as they are; the next one is read only when the client has read the one before.
  await pipelineToClient(Readable.from(text, { highWaterMark: 1 }), response);
}
