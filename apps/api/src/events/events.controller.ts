import { Controller, Get, Headers, Inject, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Requestor } from '@proctor/database';
import { text } from '@proctor/resources';
import type { Response } from 'express';
import { Requires } from '../auth/authentication.middleware';
import { CurrentRequestor } from '../auth/requestor';
import { CONFIGURATION, type ApiConfiguration } from '../configuration.token';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { Operation } from '../http/operation';
import { HeldConnections } from '../http/held-connections';
import type { ContextRequest } from '../http/request-context';
import { EventFollower } from './event-follower';
import { cursorOf, EventsQuery } from './events.dto';

/** Sends events of runs as server-sent events while they happen. */
@Controller('api/v1/events')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class EventsController {
  constructor(
    private readonly connections: HeldConnections,
    private readonly follower: EventFollower,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Operation({
    tag: 'Events',
    id: 'followEvents',
    summary: 'Follow what happens to runs',
    description: [
      'Server-sent events of public runs and those of your key, as they happen. The type of each is its kind, its data an `Event` as JSON, its id where to begin again: a client that sends it as `Last-Event-ID` misses nothing, and may get some events again (the `id` of their data shows it). Those of a run come in their order.',
      '`reset` means that the service no longer has what was missed: the id is too old, or unknown to it. Read what you need by the other endpoints; the stream goes on with what comes. `end` is the last before the service closes the connection: it restarts, or you do not read as fast as events come. Come again. A comment comes every 15 seconds, with the newest id.',
    ].join('\n\n'),
    answer: { description: 'The events.', of: text(), type: 'text/event-stream' },
    isStream: true,
    headers: {
      'Last-Event-ID': {
        of: text({ pattern: '^\\d{1,11}(\\.[\\d.]{1,40})?$' }),
        description: 'The id of the last event that the client has; counts before `since`.',
        example: '1763719200.12.4',
      },
    },
  })
  @Get()
  async follow(
    @Sent() query: EventsQuery,
    @Headers('Last-Event-ID') lastEventId: string | undefined,
    @CurrentRequestor() requestor: Requestor,
    @Req() request: ContextRequest,
    @Res() response: Response,
  ): Promise<void> {
    const { package: packages, suite: suites, arch: arches, status: verdicts, since, ...same } = query;
    const from = lastEventId ? cursorOf(lastEventId, 'Last-Event-ID') : (since ?? null);
    if (request.method === 'HEAD') {
      response.type('text/event-stream').end();
      return;
    }
    const { events } = this.configuration.server;
    const key = { keyId: requestor.keyId, max: events.connectionsPerKeyMax };
    this.connections.add(request, response, 'events', events, key);
    await this.follower.follow(response, requestor, { ...same, packages, suites, arches, verdicts }, from);
  }
}
