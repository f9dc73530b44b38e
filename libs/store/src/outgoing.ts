import { PassThrough, pipeline, type Readable } from 'node:stream';
import { StoreUnavailable } from './result-store';

/**
 * The content of a store's file: the same bytes, and StoreUnavailable when they break off.
 * @param store names the store, see StoreUnavailable
 * @param bytesMax further bytes do not belong to the file: they would be read as the next answer
 */
export function limitContent(content: Readable, store: string, bytesMax = Infinity): Readable {
  let bytes = 0;
  const passed = new PassThrough({
    transform(part: Buffer, _, callback) {
      bytes += part.length;
      if (bytes > bytesMax) callback(new Error(`it sent more than ${bytesMax} bytes`));
      else callback(null, part);
    },
    destroy: (error, callback) => callback(error && new StoreUnavailable(store, error)),
  });
  // Ends the content when the reader goes away; the reader gets the failure of either stream.
  return pipeline(content, passed, () => undefined);
}
