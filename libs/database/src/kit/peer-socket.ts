import { Socket } from 'node:net';
import { Client } from 'pg';

/**
 * PostgreSQL knows who comes through its socket by the system's user, and root is no user of the database: root comes as the one
 * that the address names, where the system has it.
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

  /** The kernel notes the user when the call is made, which is before this returns. */
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
