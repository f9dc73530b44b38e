import { PassThrough, pipeline, type Readable } from 'node:stream';
import { StoreUnavailable } from './result-store';

/**
 * What a store hands out: the same bytes, and StoreUnavailable when they break off.
 * @param store names the store, as in StoreUnavailable
 */
export function outgoing(content: Readable, store: string): Readable {
  const passed = new PassThrough({
    destroy: (error, done) => done(error && new StoreUnavailable(store, error)),
  });
  // Ends the content when the reader goes away; a failure of either is told to the reader by what it reads.
  return pipeline(content, passed, () => undefined);
}
