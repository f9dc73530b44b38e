import {
  connect,
  nkeyAuthenticator,
  type ConnectionOptions,
  type NatsConnection,
} from '@nats-io/transport-node';
import type { Credentials } from '@proctor/bus';

/** nats-server ends a connection that has not shown its credentials after 2 s, and the client does not notice that. */
const ANSWER_MS = 5_000;
const TRIES = 20;

/**
 * A client that may send anything which these credentials allow. It connects again when a busy machine had no time to
 * show its credentials. @throws the refusal of nats-server
 */
export async function natsClient(
  { url, seed }: Credentials,
  options: ConnectionOptions = {},
): Promise<NatsConnection> {
  const authenticator = nkeyAuthenticator(Buffer.from(seed));
  const servers = new URL(url).host;
  for (let tries = 1; ; tries += 1) {
    try {
      return await connect({ servers, authenticator, timeout: ANSWER_MS, ...options });
    } catch (error) {
      if (tries === TRIES || !/timeout|EPIPE|ECONNRESET/i.test(String(error))) throw error;
    }
  }
}
