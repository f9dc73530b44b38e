import { errors, RequestError } from '@nats-io/transport-node';
import { NoAnswer } from './bus';

/**
 * Awaits an answer of the server. @throws NoAnswer when the time is over or the connection ends; otherwise what `answer`
 * rejects with
 * @param subject of the error's message
 */
export async function requireAnswer<T>(subject: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw nameSilence(subject, error);
  }
}

/** Like requireAnswer, for what the server sends one after the other. */
export async function* requireAnswers<T>(subject: string, answers: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* answers;
  } catch (error) {
    throw nameSilence(subject, error);
  }
}

/** NoAnswer when the server was silent, otherwise the error itself. */
function nameSilence(subject: string, error: unknown): unknown {
  return isSilence(error) ? new NoAnswer(`no answer on ${subject}`, { cause: error }) : error;
}

/** The server answers when nothing receives a request: that is no silence. */
function isSilence(error: unknown): boolean {
  if (error instanceof RequestError) return !error.isNoResponders();
  return (
    error instanceof errors.TimeoutError ||
    error instanceof errors.ClosedConnectionError ||
    error instanceof errors.DrainingConnectionError
  );
}
