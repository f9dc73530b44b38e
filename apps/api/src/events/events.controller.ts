import { Controller, Get, Headers, Inject, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Requestor } from '@proctor/database';
import type { Response } from 'express';
import { Requires } from '../auth/authentication.middleware';
import { CurrentRequestor } from '../auth/requestor';
import { CONFIGURATION, type ApiConfiguration } from '../configuration.token';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { HeldConnections } from '../http/held-connections';
import type { ContextRequest } from '../http/request-context';
import { EventFollower } from './event-follower';
import { cursorOf, EventsQuery } from './events.dto';

/** What happens to runs, while it happens, as server-sent events. */
@Controller('api/v1/events')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class EventsController {
  constructor(
    private readonly held: HeldConnections,
    private readonly follower: EventFollower,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

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
    this.held.hold(request, response, 'events', events, key);
    await this.follower.follow(response, requestor, { ...same, packages, suites, arches, verdicts }, from);
  }
}
