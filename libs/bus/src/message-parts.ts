import { isIP } from 'node:net';
import type { MsgImpl } from '@nats-io/nats-core/internal';
import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import type { BusMessage } from './bus';

/**
 * The header in which nats-server describes the client of a request that a shared import carries from one account into
 * another. It replaces a header of that name that the client has sent.
 */
const REQUEST_INFO = 'Nats-Request-Info';

/** The header with the id of the HTTP request for which a message is sent. */
export const REQUEST_ID = 'Proctor-Request';
/** The ids that the api creates and accepts. A worker could send anything, and the id goes into the log. */
const SANE_REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

/** The message with all its parts read. */
export function withEverythingRead({ subject, text, from, request, respond }: BusMessage): BusMessage {
  return {
    subject,
    text,
    ...(from !== undefined && { from }),
    ...(request !== undefined && { request }),
    ...(respond && { respond }),
  };
}

/** Length of payload, headers and subjects, without reading them. */
export function bytesOf(message: Msg): number {
  return (message as MsgImpl).size();
}

/**
 * The headers of a client and those that nats-server adds need a few hundred bytes. The client library creates
 * thousands of headers from longer ones.
 */
export const HEADERS_BYTES_MAX = 8 * 1024;

/** The headers, unless it takes long to read so many. */
export function headersOf(message: Msg): MsgHdrs | undefined {
  const others = message.data.length + message.subject.length + (message.reply?.length ?? 0);
  return bytesOf(message) - others > HEADERS_BYTES_MAX ? undefined : message.headers;
}

export function requestOf(received: MsgHdrs | undefined): string | undefined {
  const id = received?.last(REQUEST_ID);
  return id && SANE_REQUEST_ID.test(id) ? id : undefined;
}

/** The IP address of the client of a request; undefined when nats-server does not give it. */
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
