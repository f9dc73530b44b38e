import type { Writable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { withLogFields } from '@proctor/process';
import type { Response } from 'express';
import type { HttpMetrics } from './http-metrics';
import { loggedPath } from './logged-path';
import type { ContextRequest } from './request-context';

/** A line may wait so long for others, milliseconds. */
const WRITTEN_WITHIN_MS = 50;

/**
 * Has what is written to an output from now on leave together with what follows it: a write for each line wakes the program that reads
 * the log as often. Lines keep their order, and none is lost when the process ends, however it does that by itself.
 * @param atExit is given what must be done then
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

/** What else is done with each answer. */
export type Answered = Pick<HttpMetrics, 'recordAnswer'>['recordAnswer'];

/**
 * One line for each answer. It contains neither headers nor the query, and no secret of the path.
 * @param answered undefined where no numbers are counted
 */
export function accessLog(answered: Answered | undefined, logger = new Logger('Access')) {
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
      // What ends an answer is the connection's doing, so its lines are not those of the request by themselves.
      withLogFields({ request: request.requestId }, () =>
        logger.log(`${request.method} ${path} ${outcome} ${Math.round(took)} ms ${user}`),
      );
    });
  };
}
