import { setTimeout as pause } from 'node:timers/promises';
import { EXIT, Failure } from '../failure';
import { readMoment } from '../output/duration';
import { printNotice, write } from '../output/print';
import type { ServiceOptions } from '../service/address';
import { eventsOf } from '../service/event-stream';
import { Service } from '../service/service';
import { filterIn, type TypedFilter } from './webhooks';

interface EventsOptions extends ServiceOptions, TypedFilter {
  follow: boolean;
  after?: string;
}

/** The pause before a new connection. */
const PAUSE_MS = 1_000;
/** After this number of connections in a row without events, the command gives up. */
const VAIN_MAX = 30;
/** Number of printed events that are remembered, because an event may be sent again. */
const REPEATED_MAX = 10_000;
const STREAM_ID = /^\d{1,11}(\.[\d.]{1,40})?$/;

/**
 * Prints events on standard output until it is stopped; without `follow`, only the events that exist already.
 * `stream_id` of an event is its place in the stream: `--after` with it prints all later events again.
 * @throws Failure if neither `follow` nor `after` is set, or the service does not answer
 */
export async function printEvents(options: EventsOptions): Promise<void> {
  const { follow, after } = options;
  if (!follow && after === undefined)
    throw new Failure('no events are selected', EXIT.usage, 'use --follow, --after 1h, or both');
  const service = await Service.find(options);
  const query = Object.fromEntries(
    Object.entries(filterIn(options)).map(([name, value]) => [name, String(value as string | string[])]),
  );
  const stream = new FollowedStream(service, query, after === undefined ? undefined : placeIn(after));
  for (let vain = 0; ;) {
    const before = stream.last;
    if (await stream.read(follow)) return;
    vain = stream.last === before ? vain + 1 : 0;
    if (vain > VAIN_MAX) {
      const place = stream.last === undefined ? '' : ` --after ${stream.last}`;
      const advice = `go on with: proctor events --follow${place}`;
      throw new Failure('the connection breaks again and again', EXIT.tryLater, advice);
    }
    await pause(PAUSE_MS);
  }
}

class FollowedStream {
  /** The events that were written last: after a broken connection some of them are sent again. */
  private readonly lastIds = new Set<unknown>();

  /** @param last the place after which to begin; undefined to begin with new events */
  constructor(
    private readonly service: Service,
    private readonly query: Record<string, string>,
    public last: string | undefined,
  ) {}

  /** @returns true if all existing events were printed and `follow` is false; false if the connection broke */
  async read(follow: boolean): Promise<boolean> {
    const { query, last } = this;
    const place = last !== undefined && { 'Last-Event-ID': last };
    const headers = { Accept: 'text/event-stream', ...place };
    try {
      const answer = await this.service.open('/events', { query, headers, isEndless: true });
      for await (const { id, event, data } of eventsOf(answer.body!)) {
        this.last = id ?? this.last;
        if (event === 'reset') printNotice(`some events are missing: ${(data as { reason: string }).reason}`);
        else if (event === null && !follow) return true;
        else if (event !== null && event !== 'end') this.write(data as { id: string });
      }
    } catch (error) {
      if (error instanceof Failure && error.code !== EXIT.tryLater) throw error;
    }
    return false;
  }

  private write(event: { id: string }): void {
    if (this.lastIds.has(event.id)) return;
    this.lastIds.add(event.id);
    if (this.lastIds.size > REPEATED_MAX) this.lastIds.delete(this.lastIds.values().next().value);
    write(`${JSON.stringify({ ...event, stream_id: this.last })}\n`);
  }
}

/** @throws InvalidArgumentError if the text is neither a place in the stream nor a time */
function placeIn(text: string): string {
  return STREAM_ID.test(text) ? text : String(Math.floor(readMoment(text)));
}
