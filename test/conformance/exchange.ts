import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { NotConforming } from './outcomes';

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer | undefined;
}

/** Answers slower than this count as a hanging connection. */
const TIMEOUT_MS = 60_000;
const agents = {
  http: new HttpAgent({ keepAlive: true, maxSockets: 32 }),
  https: new HttpsAgent({ keepAlive: true, maxSockets: 32 }),
};

/** An answer as it came over the wire: nothing is decompressed, followed or cached. */
export class Answer {
  constructor(
    readonly request: string,
    readonly status: number,
    private readonly headers: IncomingMessage['headers'],
    readonly body: Buffer,
  ) {}

  header(name: string): string | undefined {
    const value = this.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** The media type without its parameters. */
  get type(): string | undefined {
    return this.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  }

  get text(): string {
    const isGzip = this.header('content-encoding') === 'gzip' && this.body.length > 0;
    return (isGzip ? gunzipSync(this.body) : this.body).toString('utf8');
  }

  /** @throws NotConforming when the body is no JSON */
  json<T>(): T {
    try {
      return JSON.parse(this.text) as T;
    } catch {
      throw new NotConforming(`${this.name}: the body is no JSON: ${this.text.slice(0, 200)}`);
    }
  }

  /** The request and the status of its answer, for messages. */
  get name(): string {
    return `${this.request} answered ${this.status}`;
  }
}

/** Sends the path as it is written: no normalising of dots, slashes or escapes. */
export function exchange(base: string, path: string, request: Sent = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = request;
  const url = new URL(base);
  const isHttps = url.protocol === 'https:';
  const fullPath = url.pathname.replace(/\/$/, '') + path;
  const name = `${method} ${path.length > 120 ? `${path.slice(0, 120)}…` : path}`;
  return new Promise((resolve, reject) => {
    const call = (isHttps ? httpsRequest : httpRequest)(
      {
        hostname: url.hostname,
        port: url.port,
        path: fullPath,
        method,
        agent: agents[isHttps ? 'https' : 'http'],
      },
      (message) => {
        const chunks: Buffer[] = [];
        message.on('data', (chunk: Buffer) => chunks.push(chunk));
        message.on('error', reject);
        message.on('end', () => {
          resolve(new Answer(name, message.statusCode ?? 0, message.headers, Buffer.concat(chunks)));
          // A refusal may come before the body is sent: that connection is of no further use.
          if (!call.writableFinished) call.destroy();
        });
      },
    );
    call.setTimeout(TIMEOUT_MS, () => call.destroy(new Error(`${name}: no answer in ${TIMEOUT_MS} ms`)));
    call.on('error', (error) => reject(new Error(`${name}: ${error.message}`, { cause: error })));
    for (const [header, value] of Object.entries(headers)) call.setHeader(header, value);
    if (body !== undefined) call.setHeader('Content-Length', Buffer.byteLength(body));
    call.end(body);
  });
}

/** Declares a body, sends only its beginning, and returns how the server reacts meanwhile. */
export function exchangeUnsent(base: string, path: string, headers: Record<string, string>): Promise<Answer> {
  const url = new URL(base);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const name = `POST ${path} (body not sent)`;
  return new Promise((resolve, reject) => {
    const options = {
      hostname: url.hostname,
      port: url.port,
      path,
      method: 'POST',
      agent: false as const,
      headers,
    };
    const call = send(options, (message) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('error', reject);
      message.on('end', () => {
        resolve(new Answer(name, message.statusCode ?? 0, message.headers, Buffer.concat(chunks)));
        call.destroy();
      });
    });
    call.setTimeout(10_000, () => call.destroy(new NotConforming(`${name}: it waits for the body`)));
    call.on('error', reject);
    call.write('[');
  });
}

/** Form fields as multipart/form-data; a field given as a file travels as one. */
export function multipart(
  fields: Record<string, string | { file: string }>,
  boundary = `b${Math.random().toString(36).slice(2)}`,
): Sent {
  const parts = Object.entries(fields).map(([name, value]) => {
    const isFile = typeof value !== 'string';
    const disposition = `form-data; name="${name}"${isFile ? '; filename="tests.json"' : ''}`;
    const type = isFile ? 'Content-Type: application/octet-stream\r\n' : '';
    return `--${boundary}\r\nContent-Disposition: ${disposition}\r\n${type}\r\n${isFile ? value.file : value}\r\n`;
  });
  return {
    method: 'POST',
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join('')}--${boundary}--\r\n`,
  };
}

export function urlencoded(fields: Record<string, string> | [string, string][]): Sent {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  };
}

export function json(value: unknown, method = 'POST'): Sent {
  return { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}
