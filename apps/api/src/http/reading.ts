import { AsyncLocalStorage } from 'node:async_hooks';
import type { Response } from 'express';

/** A request with reads that may take long. */
interface Reader {
  response: Response;
  departure: AbortSignal | null;
  works: Set<Promise<unknown>>;
}

const readers = new AsyncLocalStorage<Reader>();

/** Runs `work` so that it can know when the client of this response has gone. */
export function asReader<Result>(response: Response, work: () => Result): Result {
  return readers.run({ response, departure: null, works: new Set() }, work);
}

/** Aborts when the client of the present request has gone or has its answer; undefined outside of a request. */
export function readerGone(): AbortSignal | undefined {
  const reader = readers.getStore();
  if (!reader) return undefined;
  if (reader.departure) return reader.departure;
  const controller = new AbortController();
  reader.departure = controller.signal;
  if (reader.response.closed) controller.abort();
  else reader.response.once('close', () => controller.abort());
  return reader.departure;
}

/** Work for the present request, which keeps its place until this work has ended. */
export function reading<Result>(work: Promise<Result>): Promise<Result> {
  const works = readers.getStore()?.works;
  if (!works) return work;
  works.add(work);
  const over = (): void => void works.delete(work);
  work.then(over, over);
  return work;
}

/** Calls `free` when all reads for the present request have ended. */
export function whenNothingIsRead(free: () => void): () => void {
  const works = readers.getStore()?.works;
  const look = (): void => {
    if (!works || works.size === 0) free();
    else void Promise.allSettled([...works]).then(look);
  };
  return look;
}
