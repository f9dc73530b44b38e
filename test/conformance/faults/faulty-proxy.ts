import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Ask, Fault, Reply } from './fault';

/** Passes everything on to a service, except that it plants one fault. */
export class FaultyProxy {
  private fault: Fault | null = null;

  private constructor(
    private readonly target: URL,
    private readonly server: ReturnType<typeof createServer>,
  ) {}

  static async start(target: string): Promise<FaultyProxy> {
    const server = createServer();
    const proxy = new FaultyProxy(new URL(target), server);
    server.on('request', (incoming, outgoing) => {
      proxy.pass(incoming, outgoing).catch(() => outgoing.destroy());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  plant(fault: Fault | null): void {
    this.fault = fault;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const fault = this.fault;
    const ask: Ask = {
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: plainHeaders(incoming.headers),
      body: Buffer.alloc(0),
    };
    let reply: Reply;
    if (fault?.ask || fault?.twice) {
      ask.body = await buffer(incoming);
      fault.ask?.(ask);
      if (fault.twice) await this.forward(ask, (call) => call.end(ask.body));
      reply = await this.forward(ask, (call) => call.end(ask.body));
    } else {
      reply = await this.forward(ask, (call) => incoming.pipe(call));
    }
    fault?.reply?.(reply, ask);
    send(reply, ask, outgoing);
    // An answer that came before the whole request ends the connection, as the service itself does it.
    if (!incoming.complete) outgoing.once('finish', () => incoming.destroy());
  }

  private forward(ask: Ask, sendBody: (call: ReturnType<typeof request>) => void): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.target;
      const headers = { ...ask.headers };
      if (ask.body.length > 0) headers['content-length'] = String(ask.body.length);
      const call = request(
        { hostname, port, path: ask.path, method: ask.method, headers, agent: false },
        (message) => {
          buffer(message).then((body) => {
            resolve({ status: message.statusCode ?? 0, headers: message.headers, body });
            if (!call.writableFinished) call.destroy();
          }, reject);
        },
      );
      call.on('error', reject);
      sendBody(call);
    });
  }
}

function plainHeaders(headers: IncomingHttpHeaders): Ask['headers'] {
  const plain = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(plain) as Ask['headers'];
}

function send(reply: Reply, ask: Ask, outgoing: ServerResponse): void {
  outgoing.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers)) {
    const isOurs = ['connection', 'transfer-encoding', 'keep-alive'].includes(name);
    const isLength = name === 'content-length' && ask.method !== 'HEAD';
    if (value !== undefined && !isOurs && !isLength) outgoing.setHeader(name, value);
  }
  if (ask.method !== 'HEAD' && reply.status !== 304) outgoing.setHeader('content-length', reply.body.length);
  outgoing.end(reply.body);
}
