import http from 'node:http';
import https from 'node:https';
import { type Answer, retryAfterOf } from '@proctor/webhooks';
import { connectionTo } from './receiver-agent';

/** How many bytes of an answer are read. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** How many characters of an answer are stored in the log of deliveries. */
const ANSWER_LENGTH_KEPT = 1_000;

export interface WebhookMessage {
  url: string;
  headers: Record<string, string>;
  body: string;
}

interface SendingLimits {
  timeoutMs: number;
  /** Private addresses and networks that are allowed. */
  allowedNetworks: string[];
}

/** An answer, or why there was none. */
export interface WebhookAnswer extends Answer {
  /** The beginning of the answer. */
  text: string | null;
  error: string | null;
  durationMs: number;
}

/**
 * Sends to the address of a user, if it is on the public Internet or allowed. A redirection counts as any other
 * answer.
 */
export async function sendMessage(message: WebhookMessage, limits: SendingLimits): Promise<WebhookAnswer> {
  const beganAt = performance.now();
  const took = (): number => Math.round(performance.now() - beganAt);
  try {
    return { ...(await exchange(message, limits)), error: null, durationMs: took() };
  } catch (error) {
    return { status: null, retryAfterMs: null, text: null, error: reasonOf(error), durationMs: took() };
  }
}

function reasonOf(error: unknown): string {
  const { name, message } = error as Error;
  // The message of the library has the resolved address, which must stay private.
  if (/is not allowed\. Because/.test(message)) return 'the address is not on the public Internet';
  if (name === 'TimeoutError' || name === 'AbortError') return 'there was no answer in time';
  return message.slice(0, ANSWER_LENGTH_KEPT);
}

function exchange(
  { url, headers, body }: WebhookMessage,
  { timeoutMs, allowedNetworks }: SendingLimits,
): Promise<Answer & { text: string }> {
  const target = new URL(url);
  const connection = connectionTo(target, allowedNetworks);
  return new Promise((resolve, reject) => {
    const request = (target.protocol === 'https:' ? https : http).request(
      target,
      { method: 'POST', headers, ...connection, signal: AbortSignal.timeout(timeoutMs) },
      (response) => {
        const parts: Buffer[] = [];
        let size = 0;
        const end = (): void => {
          const text = Buffer.concat(parts)
            .toString('utf8')
            .replaceAll('\0', '')
            .slice(0, ANSWER_LENGTH_KEPT);
          const retryAfterMs = retryAfterOf(response.headers['retry-after'], Date.now());
          request.destroy();
          resolve({ status: response.statusCode ?? null, retryAfterMs, text });
        };
        response.on('data', (part: Buffer) => {
          parts.push(part);
          size += part.length;
          if (size > ANSWER_BYTES_MAX) end();
        });
        response.once('end', end);
        response.once('error', reject);
      },
    );
    // An answer that changes the protocol has no `response` event; its content is ignored.
    request.once('upgrade', ({ statusCode = null }, socket) => {
      socket.destroy();
      resolve({ status: statusCode, retryAfterMs: null, text: '' });
    });
    request.once('error', reject);
    request.once('close', () => reject(new Error('the connection was closed before the end of the answer')));
    request.end(body);
  });
}
