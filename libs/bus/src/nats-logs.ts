import type { ConsumerMessages, JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { LOG_STREAM, logSubject, type LogChunk } from '@proctor/contracts';

/** Chunks that a reader asks the server for at once. */
const READ_AHEAD_CHUNKS = 50;
const PULL_EXPIRES_MS = 5000;

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
    if (signal?.aborted) return;
    const consumer = await this.js.consumers.get(LOG_STREAM, { filter_subjects: logSubject(runId, attempt) });
    const messages: ConsumerMessages = await consumer.consume({
      max_messages: READ_AHEAD_CHUNKS,
      expires: PULL_EXPIRES_MS,
    });
    const stop = () => messages.stop();
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      for await (const message of messages) {
        const chunk = message.json<LogChunk>();
        if (chunk.chunk >= fromChunk) yield chunk;
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
      // Only tidiness: the server forgets a consumer that nobody asks.
      void consumer.delete().catch(() => false);
    }
  }

  async purge(runId: number, attempt: number): Promise<void> {
    await this.jsm.streams.purge(LOG_STREAM, { filter: logSubject(runId, attempt) });
  }
}
