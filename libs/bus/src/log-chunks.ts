import { Logger } from '@nestjs/common';
import type { LogChunk } from '@proctor/contracts';

/** The part of a message that is used here. */
interface PublishedMessage {
  string(): string;
}

/**
 * The chunks that a worker has published, from a number on, each once: a worker sends a chunk again when the answer was
 * lost. A message that is no chunk is skipped and logged once, so that readers get the rest.
 */
export async function* chunksIn(
  messages: AsyncIterable<PublishedMessage>,
  subject: string,
  from = 0,
  logger = new Logger('Logs'),
): AsyncGenerator<LogChunk> {
  let [skipped, next] = [0, from];
  for await (const message of messages) {
    const chunk = parseChunk(message.string());
    if (chunk && chunk.chunk >= next) {
      next = chunk.chunk + 1;
      yield chunk;
    } else if (!chunk && ++skipped === 1)
      logger.warn(`${subject}: a chunk of a log cannot be read; it is passed over`);
  }
}

/** Null when the text is no chunk. */
function parseChunk(text: string): LogChunk | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { chunk, offset, data } = value as Record<string, unknown>;
  const isChunk = Number.isSafeInteger(chunk) && Number.isSafeInteger(offset) && typeof data === 'string';
  return isChunk ? (value as LogChunk) : null;
}
