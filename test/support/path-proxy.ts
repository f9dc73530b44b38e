import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that has the service below `/ci/`. */
export interface PathProxy {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  /** Requests outside of the path; they were not forwarded. */
  strays: string[];
  stop(): void;
}

/**
 * A proxy like `location /ci/ { proxy_pass http://api/; }` of nginx: it removes the path of the service from each
 * address.
 * @param target returns the address of the service, as soon as it has one
 */
export async function startPathProxy(target: () => string): Promise<PathProxy> {
  const strays: string[] = [];
  const server = createServer((request, response) => {
    const { url = '', method, headers } = request;
    if (!url.startsWith('/ci/')) {
      strays.push(url);
      response.writeHead(418).end();
      return;
    }
    const { hostname, port } = new URL(target());
    const passed = ask({ hostname, port, method, headers, path: url.slice('/ci'.length) }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    response.on('close', () => passed.destroy());
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    strays,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
