import { Socket } from 'node:net';
import { Client } from 'pg';

/**
 * On its socket, PostgreSQL identifies a client by the user of the system, and root is no user of the database. So
 * root connects as the user in the address, if the system has this user.
 * @returns options of a connection
 */
export function peerSocket(url: string): { stream?: () => Socket } {
  if (process.getuid?.() !== 0) return {};
  const { host, user } = new Client({ connectionString: url });
  return host.startsWith('/') && user ? { stream: () => new SocketOf(user) } : {};
}

class SocketOf extends Socket {
  constructor(private readonly user: string) {
    super();
  }

  /** The kernel records the user during the call, before it returns. */
  override connect(...args: unknown[]): this {
    const connect = (): this => super.connect(...(args as [string]));
    try {
      process.seteuid!(this.user);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_CREDENTIAL') throw error;
      return connect();
    }
    try {
      return connect();
    } finally {
      process.seteuid!(0);
    }
  }
}
