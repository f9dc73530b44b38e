import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { grantName, LOG_STREAM, logSubject, type Grant, type LogChunk } from '@proctor/contracts';
import { follow } from './follow';

/** The live logs, a subject for each grant. */
export class NatsLogs {
  constructor(
    private readonly js: JetStreamClient,
    private readonly jsm: JetStreamManager,
  ) {}

  async append(grant: Grant, chunk: LogChunk): Promise<void> {
    await this.js.publish(logSubject(grant), JSON.stringify(chunk), {
      msgID: `${grantName(grant, '.')}.${chunk.chunk}`,
    });
  }

  async *read(grant: Grant, fromChunk: number, signal?: AbortSignal): AsyncGenerator<LogChunk> {
    for await (const message of follow(this.js, LOG_STREAM, logSubject(grant), signal)) {
      const chunk = message.json<LogChunk>();
      if (chunk.chunk >= fromChunk) yield chunk;
    }
  }

  async purge(grant: Grant): Promise<void> {
    await this.jsm.streams.purge(LOG_STREAM, { filter: logSubject(grant) });
  }
}
