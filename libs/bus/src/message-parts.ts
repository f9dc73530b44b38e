import { isIP } from 'node:net';
import type { MsgImpl } from '@nats-io/nats-core/internal';
import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import type { BusMessage } from './bus';

/**
 * What nats-server says of the client whose request a shared import carries from one account into another. It takes the
 * place of a header of that name which the client has sent itself.
 */
const REQUEST_INFO = 'Nats-Request-Info';

/** Names the HTTP request on whose behalf a message is sent. */
export const REQUEST_ID = 'Proctor-Request';
/** As the api gives and takes them. A worker could send anything, and lines of a log are made of it. */
const SANE_REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

/** With everything read that it has. */
export function withEverythingRead({ subject, text, from, request, respond }: BusMessage): BusMessage {
  return {
    subject,
    text,
    ...(from !== undefined && { from }),
    ...(request !== undefined && { request }),
    ...(respond && { respond }),
  };
}

/** Of the payload, the headers and the subjects, without a look at them. */
export function bytesOf(message: Msg): number {
  return (message as MsgImpl).size();
}

/** Those of a client and what nats-server adds need a few hundred bytes; a client makes thousands of headers of more. */
export const HEADERS_BYTES_MAX = 8 * 1024;

/** The headers, unless they are so many that reading them takes long. */
export function headersOf(message: Msg): MsgHdrs | undefined {
  const others = message.data.length + message.subject.length + (message.reply?.length ?? 0);
  return bytesOf(message) - others > HEADERS_BYTES_MAX ? undefined : message.headers;
}

export function requestOf(received: MsgHdrs | undefined): string | undefined {
  const id = received?.last(REQUEST_ID);
  return id && SANE_REQUEST_ID.test(id) ? id : undefined;
}

/** The IP address of the client that a request came from; undefined when nats-server does not say it. */
export function addressOf(headers: MsgHdrs | undefined): string | undefined {
  const info = headers?.last(REQUEST_INFO);
  if (!info) return undefined;
  try {
    const { host } = JSON.parse(info) as { host?: unknown };
    return typeof host === 'string' && isIP(host) !== 0 ? host : undefined;
  } catch {
    return undefined;
  }
}
