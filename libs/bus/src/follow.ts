import type { ConsumerMessages, JetStreamClient, JsMsg } from '@nats-io/jetstream';

/** Messages that a reader requests at once. */
const READ_AHEAD = 50;
const PULL_EXPIRES_MS = 5000;

/**
 * Yields the messages of a stream on a subject (wildcards allowed), oldest first, then new messages; ends when `signal`
 * aborts.
 */
export async function* follow(
  js: JetStreamClient,
  stream: string,
  subject: string,
  signal?: AbortSignal,
): AsyncGenerator<JsMsg> {
  if (signal?.aborted) return;
  const consumer = await js.consumers.get(stream, { filter_subjects: subject });
  const messages: ConsumerMessages = await consumer.consume({
    max_messages: READ_AHEAD,
    expires: PULL_EXPIRES_MS,
  });
  const stop = () => messages.stop();
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for await (const message of messages) yield message;
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
    // Only to be tidy: the server deletes an idle consumer by itself.
    void consumer.delete().catch(() => false);
  }
}

/**
 * Yields the messages that a stream holds on a subject now, oldest first. @throws the reason of `signal` when it aborts
 */
export async function* readContents(
  js: JetStreamClient,
  stream: string,
  subject: string,
  signal: AbortSignal,
): AsyncGenerator<JsMsg> {
  signal.throwIfAborted();
  const consumer = await js.consumers.get(stream, { filter_subjects: subject });
  const { num_pending: count } = await consumer.info();
  void consumer.delete().catch(() => false);
  if (count === 0) return;
  for await (const message of follow(js, stream, subject, signal)) {
    yield message;
    if (message.info.pending === 0) return;
  }
  // The messages were removed from the stream after the count was read.
  signal.throwIfAborted();
}
