import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { grantName, logStream, logSubject, type Grant, type LogChunk } from '@proctor/contracts';
import { readContents, follow } from './follow';
import { chunksIn } from './log-chunks';

/** The live logs: a stream for each worker, with a subject for each grant. */
export class NatsLogs {
  constructor(
    private readonly js: JetStreamClient,
    private readonly jsm: JetStreamManager,
  ) {}

  async append(worker: string, grant: Grant, chunk: LogChunk): Promise<void> {
    await this.js.publish(logSubject(worker, grant), JSON.stringify(chunk), {
      msgID: `${grantName(grant, '.')}.${chunk.chunk}`,
    });
  }

  async *read(
    worker: string,
    grant: Grant,
    fromChunk: number,
    signal?: AbortSignal,
  ): AsyncGenerator<LogChunk> {
    const subject = logSubject(worker, grant);
    const messages = follow(this.js, logStream(worker), subject, signal);
    yield* chunksIn(messages, subject, fromChunk);
  }

  async *readSoFar(worker: string, grant: Grant, signal: AbortSignal): AsyncGenerator<LogChunk> {
    const subject = logSubject(worker, grant);
    yield* chunksIn(readContents(this.js, logStream(worker), subject, signal), subject);
  }

  async purge(worker: string, grant: Grant): Promise<void> {
    await this.jsm.streams.purge(logStream(worker), { filter: logSubject(worker, grant) });
  }
}
