import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux uses for outgoing connections, so that none of these takes a port before its program
 * listens.
 */
const PORT_MIN = 20_000;
const PORT_MAX = 32_767;
const TRIES = 100;

/**
 * A free TCP port of the loopback address. No process of this machine gets it from this function again as long as this
 * process runs: the program for which it is may not listen yet, or not at the moment.
 * @throws Error if all tried ports are taken
 */
export async function findFreePort(): Promise<number> {
  for (let trial = 0; trial < TRIES; trial += 1) {
    const port = randomInt(PORT_MIN, PORT_MAX + 1);
    if ((await reserve(port)) && !(await isPortTaken('127.0.0.1', port))) return port;
  }
  throw new Error(`no port from ${PORT_MIN} to ${PORT_MAX} is free`);
}

/**
 * Holds a name of the port that only one process can have: an abstract socket of Linux, which is no file and ends with
 * the process.
 * @returns whether no process has it
 */
function reserve(port: number): Promise<boolean> {
  const holder = createServer().unref();
  return new Promise((resolve) => {
    holder.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    holder.listen(`\0proctor-port-${port}`, () => resolve(true));
  });
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
