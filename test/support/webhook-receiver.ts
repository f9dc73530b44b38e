import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedMessage {
  id: string;
  type: string;
  data: { id: string; run_id: number; kind: string; package: string };
}

interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** An address that a webhook leads to, which can be away; the library of Standard Webhooks verifies what it gets. */
export class WebhookReceiver {
  readonly received: ReceivedMessage[] = [];
  /** Everything, however it was signed. */
  readonly bodies: string[] = [];
  /** Messages whose signature was missing or wrong. */
  readonly refused: unknown[] = [];
  reply: (message: ReceivedMessage) => Reply = () => ({ status: 204 });
  secret = '';
  private server: Server | null = null;
  private port = 0;
  private waiting: (() => void)[] = [];

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  async open(): Promise<void> {
    this.server = createServer((request, response) => {
      void this.take(request).then(({ status, headers = {}, body = '' }) => {
        response.writeHead(status, headers).end(body);
      });
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    this.server?.close();
    if (this.server) await once(this.server, 'close');
    this.server = null;
  }

  /** Resolves when the received messages satisfy the condition. */
  async until(isThere: (received: ReceivedMessage[]) => boolean): Promise<void> {
    while (!isThere(this.received)) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private async take(request: IncomingMessage): Promise<Reply> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    this.bodies.push(body);
    try {
      const headers = request.headers as Record<string, string>;
      const message = new Webhook(this.secret).verify(body, headers) as Omit<ReceivedMessage, 'id'>;
      const received = { ...message, id: headers['webhook-id']! };
      const reply = this.reply(received);
      this.received.push(received);
      for (const wake of this.waiting.splice(0)) wake();
      return reply;
    } catch (error) {
      this.refused.push(error);
      return { status: 400 };
    }
  }
}
