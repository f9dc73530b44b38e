import {
  Agent,
  createServer,
  request as ask,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Stops } from './stops';

const LOOK_EVERY_MS = 200;

/**
 * A plain proxy: it hands each request to the next api whose `/health` was good at the last look, and tries nothing twice. What it
 * cannot hand on is answered 502, and 503 while no api is ready.
 */
export class PlainProxy {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server: Server;
  private readonly looks = new EventEmitter<{ look: [] }>();
  private ready: string[] = [];
  private turn = 0;
  private timer: NodeJS.Timeout | undefined;

  private constructor(private readonly apis: readonly string[]) {
    this.server = createServer((request, response) => this.hand(request, response));
  }

  static async start(apis: readonly string[], stops: Stops): Promise<PlainProxy> {
    const proxy = new PlainProxy(apis);
    await stops.start(
      () => once(proxy.server.listen(0, '127.0.0.1'), 'listening'),
      () => proxy.stop(),
    );
    const lookAgain = () => {
      if (proxy.server.listening)
        proxy.timer = setTimeout(() => void proxy.look().then(lookAgain), LOOK_EVERY_MS);
    };
    lookAgain();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves when this api gets requests. */
  async takes(api: string): Promise<void> {
    while (!this.ready.includes(api)) await once(this.looks, 'look');
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.server.closeAllConnections();
    this.server.close();
    this.agent.destroy();
  }

  private async look(): Promise<void> {
    const good = await Promise.all(this.apis.map((api) => isReady(api)));
    this.ready = this.apis.filter((_, place) => good[place]);
    this.looks.emit('look');
  }

  private hand(request: IncomingMessage, response: ServerResponse): void {
    const api = this.ready[this.turn++ % this.ready.length];
    const refuse = (status: number, why: string) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(status).end(why);
    };
    if (api === undefined) return refuse(503, 'no api is ready');
    const { method, headers, url = '/' } = request;
    const onward = ask(api + url, { method, headers, agent: this.agent }, (answer) => {
      // The way back is ours: whether the api ends its connection is nothing to the client.
      const { connection: _, ...rest } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, rest);
      answer.pipe(response);
      answer.on('aborted', () => response.destroy());
    });
    onward.on('error', (error) => refuse(502, error.message));
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }
}

async function isReady(api: string): Promise<boolean> {
  try {
    const answer = await fetch(`${api}/health`, { signal: AbortSignal.timeout(1_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
