import { Client } from 'pg';
import { DATABASE_LIMITS } from '../../kit/limits';
import { peerSocket } from '../../kit/peer-socket';
import { Servers } from '../../kit/servers';
import { asUnavailable } from '../../kit/unavailable';

/**
 * Opens a connection without limits for statements and transactions, which may stay open for hours. Opening it has
 * the usual limit.
 * @param url may name several servers
 */
export async function longConnection(url: string, applicationName: string): Promise<Client> {
  const primary = await Servers.primaryOf(url).catch(unavailable);
  const client = new Client({
    connectionString: primary,
    application_name: applicationName,
    keepAlive: true,
    connectionTimeoutMillis: DATABASE_LIMITS.connectTimeoutMs,
    ...peerSocket(primary),
  });
  // An error of the connection makes the next statement fail.
  client.on('error', () => undefined);
  await client.connect().catch(unavailable);
  await client.query('set statement_timeout = 0');
  await client.query('set idle_in_transaction_session_timeout = 0');
  return client;
}

function unavailable(error: unknown): never {
  throw asUnavailable(error);
}
