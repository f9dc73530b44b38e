import { IsText } from './text';
import { IsWholeFrom } from './whole-number';

/** The end of the year 9999, which every reader can write as a date. */
const BUILT_AT_MS_MAX = Date.UTC(10_000, 0) - 1;
/** The limit of the name, in UTF-16 units. */
const IMAGE_NAME_LENGTH_MAX = 200;

/** The image that a testbed was made from. Images of a worker with the same name differ in the time of their build. */
export class TestbedImage {
  /** Backend, suite and architecture: `unshare/sid/amd64`. Never a path of the machine. */
  @IsText(IMAGE_NAME_LENGTH_MAX)
  name: string;

  /** UNIX milliseconds, by the clock of the worker. */
  @IsWholeFrom(0, BUILT_AT_MS_MAX)
  builtAtMs: number;
}
