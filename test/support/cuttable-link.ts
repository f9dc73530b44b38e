import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that a test can cut and mend; the server itself is not touched. */
export interface CuttableLink {
  /** The given address with the link's own host and port. */
  url: string;
  /** Connections break and new ones are refused, until mended. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** `host`: the address of this machine that the link listens at. */
export async function linkTo(url: string, host = '127.0.0.1'): Promise<CuttableLink> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A broken connection is what this is for: its two ends tell the test.
    socket.on('error', () => undefined);
    return socket;
  };
  const server = createServer((incoming) => {
    const outgoing = keep(connect(Number(target.port), target.hostname));
    keep(incoming).pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, host, resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const link = new URL(url);
  link.hostname = host;
  link.port = String(port);
  return {
    url: link.href,
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
    mend: () => listen(port),
  };
}
