import { pipeline } from 'node:stream/promises';

/**
 * Pipes to a response, keeping to the client's pace. A client that goes away ends the source and is no error.
 * @throws what the source throws; the connection is broken off then
 */
export async function pipelineToClient(
  ...streams: [NodeJS.ReadableStream, ...NodeJS.ReadWriteStream[], NodeJS.WritableStream]
): Promise<void> {
  try {
    await pipeline(streams);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
