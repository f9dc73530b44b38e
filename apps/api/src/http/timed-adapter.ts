import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { inTurn, readTarget } from '@proctor/monitoring';
import type { Express } from 'express';
import { type ConnectionLimits, limitConnections } from './connection-limit';
import type { ContextRequest } from './request-context';

interface Timeouts {
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  keepAliveMs: number;
  socketIdleMs: number;
}

/**
 * How often the server checks for late clients within each time limit; a late client is disconnected that much later.
 */
const CHECKS_PER_TIMEOUT = 4;
const CHECK_INTERVAL_MIN_MS = 250;

/** Closes connections of clients that send almost nothing, or do not read. */
export class TimedAdapter extends ExpressAdapter {
  constructor(
    express: Express,
    private readonly timeouts: Timeouts & ConnectionLimits,
  ) {
    super(express);
  }

  override initHttpServer(): void {
    const { headersTimeoutMs, requestTimeoutMs: requestTimeout, keepAliveMs, socketIdleMs } = this.timeouts;
    // Headers are a part of the request.
    const headersTimeout = Math.min(headersTimeoutMs, requestTimeout);
    const connectionsCheckingInterval = Math.max(headersTimeout / CHECKS_PER_TIMEOUT, CHECK_INTERVAL_MIN_MS);
    const options = {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval,
    };
    const answer = this.getInstance<Express>();
    const server = createServer(options, (request: IncomingMessage, response: ServerResponse) => {
      inTurn(request, response, () => {
        // Express parses the target before its first step.
        const fault = readTarget(request);
        if (fault !== null) (request as ContextRequest).targetFault = fault;
        answer(request, response);
      });
    });
    server.timeout = socketIdleMs;
    // Express reads the setting later.
    const isProxy = (address: string): boolean =>
      (answer.get('trust proxy fn') as (address: string, hop: number) => boolean)(address, 0);
    limitConnections(server, this.timeouts, isProxy);
    this.httpServer = server;
  }
}
