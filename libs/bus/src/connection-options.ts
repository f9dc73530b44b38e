import { isIP } from 'node:net';
import { checkServerIdentity, type ConnectionOptions as TlsConnectionOptions } from 'node:tls';
import { nkeyAuthenticator, type ConnectionOptions } from '@nats-io/transport-node';
import { inboxPrefix } from './accounts';
import type { Credentials } from './credentials';

export const RECONNECT_WAIT_MS = 500;
const RECONNECT_JITTER_MS = 500;
/** A connection whose server is silent for two of these intervals is closed and opened again. */
const PING_INTERVAL_MS = 5_000;
/**
 * nats-server closes a connection without credentials after 2 s, and the client does not notice that while it connects.
 */
const CONNECT_PATIENCE_MS = 5_000;

/** @param clientName shown to people in the server's list of connections */
export function connectionOptions(
  { name, url, seed, ca }: Credentials,
  clientName: string,
): ConnectionOptions {
  const servers = url.split(',').map((each) => new URL(each));
  return {
    servers: servers.map(({ host }) => host),
    name: clientName,
    authenticator: nkeyAuthenticator(Buffer.from(seed)),
    inboxPrefix: inboxPrefix(name),
    // Otherwise the client creates an error with a stack for each request, which costs more than the request.
    noAsyncTraces: true,
    ...(ca !== undefined && { tls: tlsOptions(ca, servers) }),
    timeout: CONNECT_PATIENCE_MS,
    maxReconnectAttempts: -1,
    // Once connected, wait even after a refusal: the server may be restarting with another configuration.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    reconnectJitter: RECONNECT_JITTER_MS,
    pingInterval: PING_INTERVAL_MS,
  };
}

/**
 * The client passes these options to Node, and demands encryption when they are set. It gives Node no host when it
 * connects to an IP address: Node would compare the certificate with `localhost`.
 */
function tlsOptions(
  ca: string,
  servers: URL[],
): Pick<TlsConnectionOptions, 'checkServerIdentity'> & { ca: string } {
  const hosts = servers.map(({ hostname }) => hostname.replace(/^\[|\]$/g, ''));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return {
    ca,
    checkServerIdentity: (host, certificate) => {
      const names = hosts.includes(host) || addresses.length === 0 ? [host] : addresses;
      const errors = names.map((each) => checkServerIdentity(each, certificate));
      return errors.includes(undefined) ? undefined : errors[0];
    },
  };
}
