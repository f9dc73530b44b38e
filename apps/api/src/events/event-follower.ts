import { Inject, Injectable } from '@nestjs/common';
import { asBackgroundWork, type Requestor, RunEvents } from '@proctor/database';
import { type EventFilter, EventWindow, isWanted, type RunEvent } from '@proctor/events';
import type { Response } from 'express';
import { isOwn, maySee, readerOf } from '../auth/run-reader';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack } from '../http/problem';
import { Semaphore } from '../http/semaphore';
import { EventConnection } from './event-connection';
import { eventObject } from './event-object';
import { EventStreams } from './event-streams';

/** How many clients may be sent missed events at the same time: each needs its own queries. */
const CATCHING_UP_MAX = 4;
const CATCHING_UP_WAIT_MS = 10_000;

const HOUR_SECONDS = 3_600;

/** The events that a client wants. */
type WantedEvents = EventFilter & { mine?: boolean | undefined };

/** Opens streams of events, one for each client. */
@Injectable()
export class EventFollower {
  /** The JSON of events: all clients get the same. */
  private readonly texts = new WeakMap<RunEvent, string>();
  private readonly room = new Semaphore(() => CATCHING_UP_MAX);

  constructor(
    private readonly events: RunEvents,
    private readonly streams: EventStreams,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * Starts to send events to a client, until the response ends.
   * @param since the second of the client's last event; null: only new events
   * @throws Problem 503 if the service stops, or too many clients are sent missed events
   */
  async follow(
    response: Response,
    requestor: Requestor,
    wantedEvents: WantedEvents,
    since: number | null,
  ): Promise<void> {
    if (this.streams.isEnding) throw comeBack(503, 'The service restarts.', CATCHING_UP_WAIT_MS);
    const connection = this.connection(response, requestor, wantedEvents);
    const reason = since === null ? null : await this.whyExpired(since);
    if (since === null || reason !== null) {
      const { second, leave } = await this.streams.join(connection);
      response.once('close', leave);
      if (response.closed) leave();
      connection.open();
      if (reason !== null) connection.reset(reason);
      connection.startSending(second, () => false);
      return;
    }
    const leaveRoom = await this.room.acquire(1, CATCHING_UP_WAIT_MS);
    if (!leaveRoom)
      throw comeBack(503, 'Too many clients are sent what they have missed.', CATCHING_UP_WAIT_MS);
    connection.open();
    void asBackgroundWork(() => this.resume(response, connection, since)).finally(leaveRoom);
  }

  /** Reads the missed events again after the client has joined the others, so that no event falls between. */
  private async resume(response: Response, connection: EventConnection, since: number): Promise<void> {
    const window = new EventWindow(since, this.events);
    try {
      await connection.catchUp(window);
      const { second, leave } = await this.streams.join(connection);
      response.once('close', leave);
      if (response.closed) leave();
      await connection.catchUp(window);
      connection.startSending(second, (event) => window.hasRead(event));
    } catch (error) {
      // The client reconnects with the id of its last event.
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private connection(
    response: Response,
    requestor: Requestor,
    { mine = false, ...filter }: WantedEvents,
  ): EventConnection {
    const reader = readerOf(requestor);
    return new EventConnection(response, {
      isWanted: (event) =>
        maySee(reader, event) && (!mine || isOwn(reader, event)) && isWanted(filter, event),
      textOf: (event) => this.textOf(event),
    });
  }

  private textOf(event: RunEvent): string {
    let text = this.texts.get(event);
    if (text === undefined) {
      text = JSON.stringify(eventObject(event, this.configuration.server.neutral));
      this.texts.set(event, text);
    }
    return text;
  }

  /** Returns null if all events since then can be sent, else why not. */
  private async whyExpired(second: number): Promise<string | null> {
    // Without new events the limit stays behind the clock, but a client may name a time.
    await this.events.raise();
    const { horizon } = await this.events.start(Infinity);
    if (second > horizon) return 'the event is not known here: the database may have been restored';
    const { replayHours } = this.configuration.server.events;
    const isOld = second < Date.now() / 1_000 - replayHours * HOUR_SECONDS;
    return isOld ? `the event is older than ${replayHours} hours` : null;
  }
}
