import { systemClock } from '@proctor/clock';
import { RunEvents } from '@proctor/database';
import { DispatcherClient } from '../dispatchers/dispatcher-client';
import { Room } from '../http/room';
import { EventFollower } from './event-follower';
import { EventStreams } from './event-streams';
import { EventsController } from './events.controller';

/** The routes with which programs follow the events of runs. */
@Room({
  controllers: [EventsController],
  providers: [
    {
      provide: EventStreams,
      inject: [RunEvents, DispatcherClient],
      useFactory: (events: RunEvents, dispatchers: DispatcherClient) =>
        new EventStreams(events, systemClock, dispatchers),
    },
    EventFollower,
  ],
})
export class EventsModule {}
