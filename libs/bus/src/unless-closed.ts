import { errors } from '@nats-io/transport-node';

/**
 * Says something about a message that came over a connection which may have been closed since. Then nothing can be
 * said and nothing is lost: the asker's time runs out, the stream delivers the report again.
 */
export function unlessClosed(send: () => void): void {
  try {
    send();
  } catch (error) {
    if (error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError)
      return;
    throw error;
  }
}
