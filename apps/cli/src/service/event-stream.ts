/** A server-sent event, with its data parsed as JSON. */
interface SentEvent {
  /** The id after which the stream can be resumed; null if the stream has sent none. */
  id: string | null;
  /** Null if the event consists only of an id. */
  event: string | null;
  data: unknown;
}

/** Yields the events of a stream in order. An incomplete event at its end is ignored. */
export async function* eventsOf(body: AsyncIterable<unknown>): AsyncGenerator<SentEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop()!;
    for (const block of blocks) {
      const event = eventIn(block);
      if (event !== null) yield event;
    }
  }
}

/** @returns null for a comment, which only keeps the connection open */
function eventIn(block: string): SentEvent | null {
  const lines = block.split(/\r?\n/);
  const of = (field: string): string[] =>
    lines
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).replace(/^ /, ''));
  const [id, data] = [of('id')[0] ?? null, of('data')];
  if (data.length === 0) return id === null ? null : { id, event: null, data: null };
  return { id, event: of('event')[0] ?? 'message', data: JSON.parse(data.join('\n')) as unknown };
}
