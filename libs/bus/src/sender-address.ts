import { isIP } from 'node:net';
import type { MsgHdrs } from '@nats-io/transport-node';

/**
 * What nats-server tells of the client whose request a shared import carries from one account into another. It takes the
 * place of a header of that name which the client has sent itself.
 */
const REQUEST_INFO = 'Nats-Request-Info';

/** The IP address of the client that a request came from; undefined when nats-server does not tell. */
export function addressOf(headers: MsgHdrs | undefined): string | undefined {
  const told = headers?.last(REQUEST_INFO);
  if (!told) return undefined;
  try {
    const { host } = JSON.parse(told) as { host?: unknown };
    return typeof host === 'string' && isIP(host) !== 0 ? host : undefined;
  } catch {
    return undefined;
  }
}
