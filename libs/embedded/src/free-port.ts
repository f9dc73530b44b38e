import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to outgoing connections: none of them takes one before its program listens. */
const PORT_MIN = 20_000;
const PORT_MAX = 32_767;
const TRIES = 100;

/** A TCP port of the loopback address that is free now. @throws when so many that were tried are taken */
export async function findFreePort(): Promise<number> {
  for (let trial = 0; trial < TRIES; trial += 1) {
    const port = randomInt(PORT_MIN, PORT_MAX + 1);
    if (!(await isPortTaken('127.0.0.1', port))) return port;
  }
  throw new Error(`no port from ${PORT_MIN} to ${PORT_MAX} is free`);
}

/** Whether another program listens on the port. @throws for an address that this machine does not have */
export function isPortTaken(host: string, port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(true);
      else reject(error);
    });
    server.listen(port, host, () => server.close(() => resolve(false)));
  });
}
