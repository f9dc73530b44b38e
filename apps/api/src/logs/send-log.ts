import { Readable } from 'node:stream';
import type { AttemptRecord } from '@proctor/database';
import type { Response } from 'express';
import { pipelineToClient } from '../http/pipeline-to-client';
import type { RunLogs } from './run-logs';

/** Browsers treat this only as text: it comes from a test. */
export const TEXT_HEADERS = {
  'Content-Type': 'text/plain; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
};

/**
 * Sends the bytes of a log from an offset on, stored or live. `Log-Complete` says which, and `Log-Attempt` names the
 * attempt.
 * @throws StoreUnavailable if the store does not answer; NoAnswer if the bus does not
 */
export async function sendLog(
  logs: RunLogs,
  runId: number,
  attempt: AttemptRecord,
  offset: number,
  response: Response,
): Promise<void> {
  const stored = await logs.findStored(runId, attempt);
  response.status(200).set({
    ...TEXT_HEADERS,
    'Cache-Control': 'private, no-cache',
    'Log-Attempt': String(attempt.attempt),
    'Log-Complete': String(stored !== null),
  });
  const bytes = stored ? stored.bytesFrom(offset) : liveBytes(logs, runId, attempt, offset);
  await pipelineToClient(Readable.from(bytes, { objectMode: false }), response);
}

async function* liveBytes(
  logs: RunLogs,
  runId: number,
  attempt: AttemptRecord,
  offset: number,
): AsyncGenerator<Buffer> {
  for await (const { data, isNote } of logs.soFar(runId, attempt, offset)) if (!isNote) yield data;
}
