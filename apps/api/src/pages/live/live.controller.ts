import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import type { Request, Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { HeldConnections } from '../../http/held-connections';
import { notFound } from '../../http/problem';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { LiveTopics } from './live-topics';
import { eventRetry } from '../../http/event-retry';

/** Time between empty messages: proxies close a connection without traffic. */
const COMMENT_EVERY_MS = 15_000;
const TOPIC_LENGTH_MAX = 300;
const BOUNDS = { connectionsMax: 2_000, connectionsPerAddressMax: 200 };

/** Sends the script of a page a message when the page is stale, as server-sent events. */
@Controller('-/live')
@Requires('nothing')
export class LiveController {
  constructor(
    private readonly topics: LiveTopics,
    private readonly connections: HeldConnections,
  ) {}

  @Get()
  async follow(
    @Query('of') topic: unknown,
    @CurrentViewer() viewer: Viewer,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const isTopic = typeof topic === 'string' && topic.length <= TOPIC_LENGTH_MAX;
    this.connections.add(request, response, 'pages', BOUNDS);
    const leave = isTopic
      ? await this.topics.watch(topic, viewer.reader, {
          stale: () => void response.write('event: stale\ndata:\n\n'),
          end: () => void response.end(),
        })
      : null;
    if (!leave) throw notFound(`There is nothing to follow of ${describe(topic)}.`);
    // no-transform: compression would hold an event back until the next. X-Accel-Buffering is for proxies that buffer.
    response.set({ 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' });
    response.type('text/event-stream');
    if (request.method === 'HEAD') {
      leave();
      response.end();
      return;
    }
    response.write(eventRetry());
    const comments = setInterval(() => response.write(':\n\n'), COMMENT_EVERY_MS);
    const end = (): void => {
      clearInterval(comments);
      leave();
    };
    // The client may have disconnected meanwhile.
    if (response.closed) end();
    else response.once('close', end);
  }
}
