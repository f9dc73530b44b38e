import { Agent, request } from 'node:http';

export interface Answer {
  status: number;
  text: string;
  bytes: number;
  /** Milliseconds since the request. */
  firstByteMs: number;
  totalMs: number;
}

/** A client with so many kept connections. */
export class HttpClient {
  private readonly agent: Agent;

  constructor(
    private readonly url: string,
    private readonly headers: Record<string, string> = {},
    connections = 1,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, '', headers);
  }

  post(path: string, body: unknown): Promise<Answer> {
    const text = body === undefined ? '' : JSON.stringify(body);
    return this.send('POST', path, text, {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(text)),
    });
  }

  /** @throws when the answer has another status */
  async mustPost(path: string, body: unknown, status = 201): Promise<Answer> {
    return must(await this.post(path, body), status, path);
  }

  /** @throws when the answer has another status */
  async mustGet(path: string, status = 200): Promise<Answer> {
    return must(await this.get(path), status, path);
  }

  close(): void {
    this.agent.destroy();
  }

  private send(method: string, path: string, body: string, more: Record<string, string>): Promise<Answer> {
    const startedAt = performance.now();
    const since = (): number => performance.now() - startedAt;
    const headers = { ...this.headers, ...more };
    return new Promise((resolve, reject) => {
      const call = request(this.url + path, { agent: this.agent, method, headers }, (message) => {
        const chunks: Buffer[] = [];
        let firstByteMs = NaN;
        message.on('data', (chunk: Buffer) => {
          if (chunks.length === 0) firstByteMs = since();
          chunks.push(chunk);
        });
        message.on('error', reject);
        message.on('end', () => {
          const totalMs = since();
          const whole = Buffer.concat(chunks);
          const status = message.statusCode ?? 0;
          resolve({ status, text: whole.toString(), bytes: whole.length, firstByteMs, totalMs });
        });
      });
      call.on('error', reject);
      call.end(body);
    });
  }
}

function must(answer: Answer, status: number, path: string): Answer {
  if (answer.status === status) return answer;
  throw new Error(`${path} was answered ${answer.status}: ${answer.text.slice(0, 500)}`);
}

/** Does something so often, by so many at a time. @returns how often a second */
export async function rateOf(
  count: number,
  atOnce: number,
  work: (turn: number) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  let turn = 0;
  const next = async (): Promise<void> => {
    while (turn < count) await work(turn++);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return (count / (performance.now() - startedAt)) * 1000;
}
