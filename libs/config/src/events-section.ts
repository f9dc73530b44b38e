import { IsInt, Max, Min } from 'class-validator';
import { Count } from './rules';

/** Who follows events over HTTP, in one api process. */
export class EventsSection {
  @Count() connectionsMax = 2_000;
  @Count() connectionsPerKeyMax = 20;
  @Count() connectionsPerAddressMax = 100;
  /** How far back a client that comes again is told what it has missed. */
  @IsInt() @Min(1) @Max(720) replayHours = 24;
  /** Of a client that does not read. */
  @Count() waitingBytesMax = 1024 * 1024;
}
