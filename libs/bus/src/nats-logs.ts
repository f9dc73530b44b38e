import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { LOG_STREAM, logSubject, type LogChunk } from '@proctor/contracts';
import { follow } from './follow';

/** The live logs, a subject for each attempt. */
export class NatsLogs {
  constructor(
    private readonly js: JetStreamClient,
    private readonly jsm: JetStreamManager,
  ) {}

  async append(runId: number, attempt: number, chunk: LogChunk): Promise<void> {
    await this.js.publish(logSubject(runId, attempt), JSON.stringify(chunk), {
      msgID: `${runId}.${attempt}.${chunk.chunk}`,
    });
  }

  async *read(
    runId: number,
    attempt: number,
    fromChunk: number,
    signal?: AbortSignal,
  ): AsyncGenerator<LogChunk> {
    for await (const message of follow(this.js, LOG_STREAM, logSubject(runId, attempt), signal)) {
      const chunk = message.json<LogChunk>();
      if (chunk.chunk >= fromChunk) yield chunk;
    }
  }

  async purge(runId: number, attempt: number): Promise<void> {
    await this.jsm.streams.purge(LOG_STREAM, { filter: logSubject(runId, attempt) });
  }
}
