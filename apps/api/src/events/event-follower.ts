import { Inject, Injectable } from '@nestjs/common';
import { besideRequests, type Requestor, RunEvents } from '@proctor/database';
import { type EventFilter, EventWindow, isWanted } from '@proctor/events';
import type { Response } from 'express';
import { isOwn, maySee, readerOf } from '../auth/run-reader';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack } from '../http/problem';
import { Semaphore } from '../http/semaphore';
import { EventConnection } from './event-connection';
import { eventObject } from './event-object';
import { EventStreams } from './event-streams';

/** Clients that are sent what they have missed at the same time: each asks the database by itself. */
const CATCHING_UP_MAX = 4;
const CATCHING_UP_WAIT_MS = 10_000;

const HOUR_SECONDS = 3_600;

/** Which events a client wants. */
export type WantedEvents = EventFilter & { mine?: boolean | undefined };

/** Follows events for one client each. */
@Injectable()
export class EventFollower {
  private readonly room = new Semaphore(() => CATCHING_UP_MAX);

  constructor(
    private readonly events: RunEvents,
    private readonly streams: EventStreams,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * Begins to send events to a client; ends with the response.
   * @param since the second of the last event that the client has; null to begin with what comes
   * @throws Problem 503
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
    void besideRequests(() => this.resume(response, connection, since)).finally(leaveRoom);
  }

  /**
   * Events from before it joined the others are read once more: nothing lies between these and the ones that
   * it gets from then on.
   */
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
      // The client comes again, with the id of the last event that it has.
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private connection(
    response: Response,
    requestor: Requestor,
    { mine = false, ...filter }: WantedEvents,
  ): EventConnection {
    const { server } = this.configuration;
    const reader = readerOf(requestor);
    return new EventConnection(response, {
      isWanted: (event) =>
        maySee(reader, event) && (!mine || isOwn(reader, event)) && isWanted(filter, event),
      resourceOf: (event) => eventObject(event, server.neutral),
      waitingBytesMax: server.events.waitingBytesMax,
    });
  }

  /** Null while the events since then can be sent; else why not. */
  private async whyExpired(second: number): Promise<string | null> {
    // While nothing happens it stays behind the clock, and a client may name a time.
    await this.events.raise();
    const { horizon } = await this.events.start(Infinity);
    if (second > horizon) return 'the event is not known here: the database may have been restored';
    const { replayHours } = this.configuration.server.events;
    const isOld = second < Date.now() / 1_000 - replayHours * HOUR_SECONDS;
    return isOld ? `the event is older than ${replayHours} hours` : null;
  }
}
