import { pipeline } from 'node:stream/promises';

/**
 * Pipes to a response, as fast as the client reads. A client that disconnects ends the source; that is no error.
 * @throws the error of the source; the connection is then closed
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
