import type { FactoryProvider } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { EventStreams } from './events/event-streams';
import { Leaving } from './http/leaving';
import { LogFollower } from './logs/log-follower';
import { LiveTopics } from './pages/live/live-topics';
import { ResultLongPoll } from './runs/result-long-poll';

/** Everything that clients wait for ends when the process leaves: long polls, events, pages and logs that are followed. */
export const LEAVING: FactoryProvider<Leaving> = {
  provide: Leaving,
  inject: [ResultLongPoll, LiveTopics, LogFollower, EventStreams],
  useFactory: (results: ResultLongPoll, pages: LiveTopics, logs: LogFollower, events: EventStreams) =>
    new Leaving(
      [
        () => results.endWaits(),
        () => pages.endWatches(),
        () => logs.onModuleDestroy(),
        () => events.beforeApplicationShutdown(),
      ],
      systemClock,
    ),
};
