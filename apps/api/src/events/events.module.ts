import { systemClock } from '@proctor/clock';
import { RunEvents } from '@proctor/database';
import { type ApiConfiguration, CONFIGURATION } from '../configuration.token';
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
      inject: [RunEvents, DispatcherClient, CONFIGURATION],
      useFactory: (events: RunEvents, dispatchers: DispatcherClient, configuration: ApiConfiguration) =>
        new EventStreams(events, systemClock, dispatchers, () => configuration.server.events),
    },
    EventFollower,
  ],
})
export class EventsModule {}
