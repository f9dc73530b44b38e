import { Room } from './room';
import { AnonymousPlaces } from './anonymous-places';
import { BodyMemoryLimit } from './body-memory-limit';
import { HeldConnections } from './held-connections';
import { AnonymousRateLimit, KnownRateLimit } from './rate-limit';

/** The limits of requests. */
@Room({
  providers: [KnownRateLimit, AnonymousRateLimit, AnonymousPlaces, HeldConnections, BodyMemoryLimit],
})
export class HttpModule {}
