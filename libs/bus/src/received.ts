import type { Msg } from '@nats-io/transport-node';
import type { BusMessage } from './bus';

/** With everything read that it has. */
export function whole({ subject, text, from, request, respond }: BusMessage): BusMessage {
  return {
    subject,
    text,
    ...(from !== undefined && { from }),
    ...(request !== undefined && { request }),
    ...(respond && { respond }),
  };
}

/** Of the payload and the headers, without a look at them. */
export function bytesOf(message: Msg): number {
  const { _rdata } = message as unknown as { _rdata?: Uint8Array };
  return _rdata?.length ?? message.data.length;
}
