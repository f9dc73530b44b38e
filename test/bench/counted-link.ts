import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection to PostgreSQL that counts how often a client waits for it. */
export interface CountedLink {
  url: string;
  /** How often something was sent after an answer, or first of all: what is sent together counts once. */
  roundTrips(): number;
  close(): Promise<void>;
}

export async function countedLink(url: string): Promise<CountedLink> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let roundTrips = 0;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Either end may break off: the other end finds out from its own connection.
    socket.on('error', () => undefined);
    return socket.setNoDelay();
  };
  const server = createServer((incoming) => {
    const outgoing = keep(connect(Number(target.port), target.hostname));
    let isAnswered = true;
    keep(incoming).on('data', () => {
      if (isAnswered) roundTrips += 1;
      isAnswered = false;
    });
    outgoing.on('data', () => (isAnswered = true));
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const link = new URL(url);
  link.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: link.href,
    roundTrips: () => roundTrips,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
