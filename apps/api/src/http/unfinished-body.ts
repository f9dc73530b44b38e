import type { Request, Response } from 'express';

/** Whether a body still comes that is announced as larger than the limit, or whose end nobody knows. */
export function hasBodyWithoutEnd(request: Request, bodyBytesMax: number): boolean {
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
  if (request.complete) return false;
  return chunked !== undefined || Number(length) > bodyBytesMax;
}

/**
 * Sends an answer as a whole, reads and drops what the client still sends, so that it gets to reading the answer, and
 * closes the connection.
 * @param dropMs how long that may take
 */
export function answerAndClose(request: Request, response: Response, answer: string, dropMs: number): void {
  // Compressed, its last bytes would wait for the end.
  response.set({ Connection: 'close', 'Cache-Control': 'no-store, no-transform' });
  response.set('Content-Length', String(Buffer.byteLength(answer)));
  response.write(answer);
  const close = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(close, dropMs);
  request.once('close', close);
  request.resume();
}
