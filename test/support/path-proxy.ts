import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that has the service below `/ci/`. */
export interface PathProxy {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  /** What was asked for outside of the path, and was not passed on. */
  strays: string[];
  stop(): void;
}

/**
 * As `location /ci/ { proxy_pass http://api/; }` of nginx has it: what is before the path of the service is cut off.
 * @param target the address of the service, once it has one
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
