import { errors } from '@nats-io/transport-node';

/**
 * Sends an answer to a message whose connection may be closed by now. Then nothing is sent and nothing is lost: the
 * requester's time expires, or the stream delivers the report again.
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
