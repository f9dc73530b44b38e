export interface ReceivedEvent {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

/** A client of `GET /api/v1/events`. */
export class EventClient {
  readonly events: ReceivedEvent[] = [];
  /** The last event id, as a browser remembers it: that of the last event, or one that was sent alone. */
  lastId = '';
  private readonly abort = new AbortController();
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private readonly decoder = new TextDecoder();
  private text = '';

  constructor(
    private readonly fetch: (init: RequestInit) => Promise<Response>,
    private readonly lastEventId?: string,
  ) {}

  /** Resolves when the service sends events as they come, or has started to send the missed ones. */
  async open(): Promise<void> {
    const headers = this.lastEventId === undefined ? {} : { 'Last-Event-ID': this.lastEventId };
    const response = await this.fetch({ headers, signal: this.abort.signal });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    this.reader = response.body!.getReader();
    while (this.lastId === '') if (!(await this.read())) throw new Error('the stream has ended');
  }

  /** The first event that satisfies; reads until it has come. */
  async until(satisfies: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent> {
    for (;;) {
      const match = this.events.find(satisfies);
      if (match) return match;
      if (!(await this.read())) throw new Error(`the stream has ended: ${JSON.stringify(this.events)}`);
    }
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.reader?.cancel().catch(() => undefined);
  }

  /** Reads the next part. @returns whether the stream continues */
  async read(): Promise<boolean> {
    const { value, done } = await this.reader!.read();
    if (done) return false;
    this.text += this.decoder.decode(value, { stream: true });
    const blocks = this.text.split('\n\n');
    this.text = blocks.pop()!;
    for (const block of blocks) this.take(block);
    return true;
  }

  private take(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    this.lastId = field('id') ?? this.lastId;
    const data = field('data');
    if (data === undefined) return;
    this.events.push({
      id: this.lastId,
      event: field('event') ?? 'message',
      data: JSON.parse(data) as Record<string, unknown>,
    });
  }
}
