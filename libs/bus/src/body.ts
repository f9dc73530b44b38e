import { cut, MalformedMessage } from '@proctor/contracts';
import { MessageTooLarge, RemoteError } from './bus';
import { requireShallow } from './shallow';

/** Length of an error in an answer, in UTF-16 units: however long the error is, the answer can be sent. */
const ERROR_LENGTH_MAX = 2_000;

/** @throws MalformedMessage when the payload is not JSON, is nested too deep or has too many values */
export function parseBody(text: string): unknown {
  requireShallow(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedMessage('the payload is not JSON', { cause: error });
  }
}

/** The answer to a request whose handler failed: `{"error": "…"}`. */
export function failureText(error: unknown): string {
  return JSON.stringify({ error: cut(messageOf(error), ERROR_LENGTH_MAX) });
}

/** The message of an Error, or of the plain object that Nest creates from an RpcException. */
function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return String(error);
}

/** @throws RemoteError when the answer says that the handler failed */
export function parseAnswer<T>(subject: string, text: string): T {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (error) {
    throw new RemoteError(`the answer on ${subject} is not JSON`, { cause: error });
  }
  if (isFailure(answer)) throw new RemoteError(answer.error);
  return answer as T;
}

function isFailure(answer: unknown): answer is { error: string } {
  return (
    typeof answer === 'object' && answer !== null && 'error' in answer && typeof answer.error === 'string'
  );
}

/** @throws MessageTooLarge when the text has more than `bytesMax` bytes */
export function requireRoom(subject: string, text: string, bytesMax: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) throw new MessageTooLarge(subject, bytes, bytesMax);
}
