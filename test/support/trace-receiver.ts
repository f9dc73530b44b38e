import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until';

/** A span as OTLP has it on the wire. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { intValue?: string; stringValue?: string } }[];
  status: { code: number };
}

interface ExportRequest {
  resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
}

/** A collector of traces by OTLP over HTTP, which keeps what it gets, and refuses the first request. */
export class TraceReceiver {
  private readonly spans: ReceivedSpan[] = [];
  private requests = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.requests += 1;
        const isTaken = this.requests > 1 && request.headers['content-type'] === 'application/json';
        if (isTaken) this.keep(JSON.parse(Buffer.concat(chunks).toString()) as ExportRequest);
        response.writeHead(isTaken ? 200 : 503, { 'Content-Type': 'application/json' }).end('{}');
      });
    });
  }

  static async start(): Promise<TraceReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TraceReceiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/traces`;
  }

  /** The spans of the run's trace, once there are any. */
  async ofRun(runId: number): Promise<ReceivedSpan[]> {
    const root = (): ReceivedSpan | undefined =>
      this.spans.find(({ attributes }) =>
        attributes.some(({ key, value }) => key === 'proctor.run_id' && value.intValue === String(runId)),
      );
    if (!(await until(() => Promise.resolve(root() !== undefined)))) throw new Error('no trace has come');
    return this.spans.filter(({ traceId }) => traceId === root()!.traceId);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private keep({ resourceSpans }: ExportRequest): void {
    this.spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
  }
}
