import type { Writable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { withLogFields } from '@proctor/process';
import type { Response } from 'express';
import type { HttpMetrics } from './http-metrics';
import { loggedPath } from './logged-path';
import type { ContextRequest } from './request-context';

/** The longest wait of a line for further lines, in milliseconds. */
const WRITTEN_WITHIN_MS = 50;

/**
 * Collects lines that are written at nearly the same time into one write: each write wakes the program that reads the
 * log. The order stays, and no line is lost when the process exits by itself.
 * @param atExit gets the function to call at the exit
 */
export function gatherWrites(
  output: Pick<Writable, 'cork' | 'uncork'>,
  atExit: (write: () => void) => void = (write) => void process.once('exit', write),
): () => void {
  let isGathering = false;
  const write = (): void => {
    if (!isGathering) return;
    isGathering = false;
    output.uncork();
  };
  atExit(write);
  return () => {
    if (isGathering) return;
    isGathering = true;
    output.cork();
    setTimeout(write, WRITTEN_WITHIN_MS).unref();
  };
}

const gatherLines = gatherWrites(process.stdout);

/** Further handling of each answer. */
export type RecordAnswer = Pick<HttpMetrics, 'recordAnswer'>['recordAnswer'];

/**
 * Logs one line for each answer. It has no headers, no query, and no secrets of the path.
 * @param answered undefined if answers are not counted
 */
export function accessLog(answered: RecordAnswer | undefined, logger = new Logger('Access')) {
  return (request: ContextRequest, response: Response): void => {
    const started = performance.now();
    const path = loggedPath(request.path);
    response.once('close', () => {
      const took = performance.now() - started;
      answered?.(request, response.statusCode, response.writableFinished, took);
      const outcome = response.writableFinished
        ? String(response.statusCode)
        : `${response.statusCode} (broken off)`;
      const user = request.requestor?.userName ?? request.keyOwner?.name ?? request.viewer?.user?.name ?? '-';
      gatherLines();
      // The connection ends the answer, so the log fields of the request must be set again.
      withLogFields({ request: request.requestId }, () =>
        logger.log(`${request.method} ${path} ${outcome} ${Math.round(took)} ms ${user}`),
      );
    });
  };
}
