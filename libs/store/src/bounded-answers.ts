import type { S3Client } from '@aws-sdk/client-s3';
import { pipeline, Readable, Transform } from 'node:stream';

/** Length of an error answer: those of S3 have a few hundred bytes. */
const ERROR_BYTES_MAX = 64 * 1024;

/** An answer before the SDK reads its body. */
interface ReceivedAnswer {
  statusCode: number;
  body: unknown;
}

/** Fails every answer that the SDK would read into memory and that is longer than `bytesMax`. Files are streamed. */
export function boundAnswers(client: S3Client, bytesMax: number): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        const answered = await next(request);
        const response = answered.response as ReceivedAnswer;
        const isError = response.statusCode >= 300;
        const isFile = commandName === 'GetObjectCommand' && !isError;
        if (!isFile && response.body instanceof Readable)
          response.body = limitLength(response.body, isError ? ERROR_BYTES_MAX : bytesMax);
        return answered;
      },
    // Next to the connection, so before the body is read.
    { step: 'deserialize', priority: 'low', name: 'boundAnswers' },
  );
}

function limitLength(body: Readable, bytesMax: number): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(part: Buffer, _, callback) {
      bytes += part.length;
      if (bytes > bytesMax) callback(new Error(`its answer has more than ${bytesMax} bytes`));
      else callback(null, part);
    },
  });
  // The reader gets the failure of either stream; a body that is too long ends its connection.
  return pipeline(body, counter, () => undefined);
}
