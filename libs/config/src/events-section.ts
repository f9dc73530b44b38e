import { IsInt, Max, Min } from 'class-validator';
import { Count } from './rules';

/** Limits of clients that follow events over HTTP, in one api process. */
export class EventsSection {
  @Count() connectionsMax = 2_000;
  @Count() connectionsPerKeyMax = 20;
  @Count() connectionsPerAddressMax = 100;
  /** How far back a client that connects again gets the events that it has missed. */
  @IsInt() @Min(1) @Max(720) replayHours = 24;
  /** Bytes that wait for a client that does not read. */
  @Count() waitingBytesMax = 1024 * 1024;
  /** Bytes that wait for all such clients together. */
  @Count() waitingBytesTotalMax = 256 * 1024 * 1024;
}
