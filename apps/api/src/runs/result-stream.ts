import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { pipelineToClient } from '../http/pipeline-to-client';

/**
 * The document of `GET /api/v1/test` in pieces; memory does not grow with the number of results, which are pulled as
 * the client reads.
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

/** The document without a result. */
export function emptyList(until: number): string {
  return `{"until":${until},"results":[]}`;
}

/** Sends text as it comes; ends the source when the client goes away. */
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
  // Strings are written as they are; one at a time is held until the client has read the one before.
  await pipelineToClient(Readable.from(text, { highWaterMark: 1 }), response);
}
