import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { BeforeApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Log } from '@proctor/process';
import { inTurn } from './requests-in-turn';
import { readTarget } from './request-target';

/** A monitor sends one short request at a time. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Late requests block monitors until Node checks for them, by default every 30 s. */
const CHECK_INTERVAL_MS = 1_000;
const TIMES = { requestTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: CHECK_INTERVAL_MS };
const CONNECTIONS_MAX = 50;

/** The address for monitors; port 0: none. */
export interface MonitoringAddress {
  host: string;
  port: number;
  /** The setting that holds the port, for people. */
  setting: string;
}

/** The answers of a process to its monitors. */
export interface MonitoringAnswers {
  /** The state of the process; `ready`: it can do its work. */
  health(): Promise<{ ready: boolean }>;
  /** In the text format of Prometheus. */
  metrics(): Promise<string>;
}

/**
 * Serves the state of a process on a port of its own: `/health` in JSON (503 when it is not ready), `/live` while it
 * answers at all, `/metrics` for Prometheus.
 */
export class MonitoringServer implements OnModuleInit, BeforeApplicationShutdown {
  private readonly server: Server;

  constructor(
    private readonly monitored: MonitoringAnswers,
    private readonly address: MonitoringAddress,
    private readonly log: Log,
  ) {
    this.server = createServer(TIMES, (request, response) =>
      inTurn(request, response, () => {
        const fault = readTarget(request);
        if (fault !== null) return send(response, 400, 'text/plain', `${fault}\n`);
        this.answer(request, response).catch((error: unknown) => {
          this.log.warn(`${request.url}: ${String(error)}`);
          send(response, 500, 'text/plain', 'the state of this process cannot be read; its log says why\n');
        });
      }),
    );
    this.server.maxConnections = CONNECTIONS_MAX;
  }

  /** @throws naming the address when it cannot listen */
  async onModuleInit(): Promise<void> {
    const { host, port, setting } = this.address;
    if (port === 0) return;
    this.server.listen(port, host);
    await once(this.server, 'listening').catch((error: Error) => {
      throw new Error(`${setting}: cannot listen at ${host}:${port}: ${error.message}`);
    });
    // For example when the process has too many open files: a later request may succeed.
    this.server.on('error', (error) => this.log.warn(`a request for health failed: ${error.message}`));
    this.log.log(`health at http://${host}:${port}/health, metrics at /metrics`);
  }

  /** Does nothing when it does not listen. */
  beforeApplicationShutdown(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET') return send(response, 405, 'text/plain', 'only GET\n', { Allow: 'GET' });
    const path = request.url?.split('?')[0];
    if (path === '/live') return send(response, 200, 'text/plain', 'alive\n');
    if (path === '/health') {
      const report = await this.monitored.health();
      return send(response, report.ready ? 200 : 503, 'application/json', `${JSON.stringify(report)}\n`);
    }
    if (path === '/metrics')
      return send(response, 200, 'text/plain; version=0.0.4', await this.monitored.metrics());
    send(response, 404, 'text/plain', 'there are /health, /live and /metrics\n');
  }
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(body);
}
