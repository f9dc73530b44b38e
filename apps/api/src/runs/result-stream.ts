import { Readable } from 'node:stream';
import type { NeutralStatus } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import type { Request, Response } from 'express';
import { pipelineToClient } from '../http/pipeline-to-client';
import { resultObject } from './result-object';

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * The document of `GET /api/v1/test` in pieces; memory does not grow with the number of rows, which are pulled as
 * the client reads.
 * @param until see `Results.since`
 */
export async function* resultList(
  until: number,
  rows: AsyncIterable<RunRecord> | Iterable<RunRecord>,
  neutral: NeutralStatus,
): AsyncGenerator<string> {
  yield `{"until":${until},"results":[`;
  let chunk = '';
  let separator = '';
  for await (const row of rows) {
    chunk += separator + JSON.stringify(resultObject(row, neutral));
    separator = ',';
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield `${chunk}]}`;
}

/** Sends text as it comes; ends the source when the client goes away. */
export async function sendJsonStream(
  request: Request,
  response: Response,
  text: AsyncIterable<string>,
): Promise<void> {
  response.status(200).type('application/json');
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  await pipelineToClient(Readable.from(text, { objectMode: false }), response);
}
