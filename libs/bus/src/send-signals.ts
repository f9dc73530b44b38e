import { connect } from '@nats-io/transport-node';
import type { Credentials } from './credentials';
import { connectionOptions } from './nats-link';

/**
 * Connects, sends signals without content, and disconnects: for a program that has nothing else to say. Unlike the other
 * connections it waits for no server that is not there.
 * @throws when the server cannot be reached in time, or refuses
 */
export async function sendSignals(
  credentials: Credentials,
  subjects: string[],
  timeoutMs: number,
): Promise<void> {
  const nc = await connect({
    ...connectionOptions(credentials, credentials.name),
    timeout: timeoutMs,
    reconnect: false,
  });
  try {
    for (const subject of subjects) nc.publish(subject, '{}');
    await nc.flush();
  } finally {
    await nc.close();
  }
}
