import { setImmediate } from 'node:timers/promises';
import { TooFar } from './block-reader';

/**
 * Reads a content while its time lasts. An index may be wrong, a line may be very long, and a store may stop in the
 * middle of a file.
 * @param what the name of the content, for the error
 * @param read opens the content; the signal ends it
 * @throws TooFar when the time is over; the errors of `read`
 */
export async function* readWithin(
  ms: number,
  what: string,
  read: (late: AbortSignal) => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const late = new AbortController();
  const tooFar = new TooFar(`${what} was not read in ${ms} ms`);
  const timer = setTimeout(() => late.abort(tooFar), ms);
  try {
    for await (const chunk of read(late.signal)) {
      yield chunk;
      // Without it, the timer waits while chunks come without a pause.
      await setImmediate();
      late.signal.throwIfAborted();
    }
  } catch (error) {
    // A stream that ends by a signal has an error of its own.
    throw late.signal.aborted ? tooFar : error;
  } finally {
    clearTimeout(timer);
  }
}
