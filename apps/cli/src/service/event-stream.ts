/** One of server-sent events, with its data read as JSON. */
interface SentEvent {
  /** Where to begin again; null when the stream has sent none. */
  id: string | null;
  /** Null for an id that came alone. */
  event: string | null;
  data: unknown;
}

/** The events of a stream in their order; an event that was cut off at its end is none. */
export async function* eventsOf(body: AsyncIterable<unknown>): AsyncGenerator<SentEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop()!;
    for (const block of blocks) {
      const sent = eventIn(block);
      if (sent !== null) yield sent;
    }
  }
}

/** @returns null for a comment, which keeps the connection alive */
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
