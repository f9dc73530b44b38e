import type { Provider } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { RunEvents } from '@proctor/database';
import { DispatcherClient } from '../dispatchers/dispatcher-client';
import { EventFollower } from './event-follower';
import { EventStreams } from './event-streams';

export const EVENT_PROVIDERS: Provider[] = [
  {
    provide: EventStreams,
    inject: [RunEvents, DispatcherClient],
    useFactory: (events: RunEvents, dispatchers: DispatcherClient) =>
      new EventStreams(events, systemClock, dispatchers),
  },
  EventFollower,
];
