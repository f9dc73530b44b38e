import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What a worker may send without end; `floods.cjs` says how. */
export const FLOODS = [
  'requests of 960 kB',
  'asks of the greatest length',
  'requests of one byte',
  'deeply nested requests',
  'requests with thousands of headers',
  'bad reports',
  'long reports',
  'log chunks',
  'staging pieces',
] as const;

export type FloodName = (typeof FLOODS)[number];

/** What has become of a flood: messages that were sent, and how often each answer came, its numbers as `#`. */
export interface Flood {
  sent: number;
  answers: Record<string, number>;
}

/** A process that sends floods as a worker. */
export class Flooder {
  private constructor(private readonly process: ChildProcess) {}

  static async start(credentialsPath: string, arch: string): Promise<Flooder> {
    const started = fork(join(__dirname, 'floods.cjs'), [credentialsPath, arch]);
    await once(started, 'message');
    return new Flooder(started);
  }

  begin(flood: FloodName): void {
    this.process.send({ begin: flood });
  }

  async end(): Promise<Flood> {
    const message = once(this.process, 'message');
    this.process.send({});
    const [flood] = (await message) as [Flood];
    return flood;
  }

  async stop(): Promise<void> {
    const exit = once(this.process, 'exit');
    this.process.disconnect();
    await exit;
  }
}
