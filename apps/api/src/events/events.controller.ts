import { Controller, Get, Headers, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Requestor } from '@proctor/database';
import type { Response } from 'express';
import { Requires } from '../auth/authentication.middleware';
import { networkOf } from '../auth/network-of';
import { CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import type { ContextRequest } from '../http/request-context';
import { EventFollower } from './event-follower';
import { EventPlaces } from './event-places';
import { cursorOf, EventsQuery } from './events.dto';

/** What happens to runs, while it happens, as server-sent events. */
@Controller('api/v1/events')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class EventsController {
  constructor(
    private readonly places: EventPlaces,
    private readonly follower: EventFollower,
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
    const leave = this.places.enter(requestor.keyId, networkOf(request.ip ?? ''));
    response.once('close', leave);
    if (response.closed) leave();
    await this.follower.follow(response, requestor, { ...same, packages, suites, arches, verdicts }, from);
  }
}
