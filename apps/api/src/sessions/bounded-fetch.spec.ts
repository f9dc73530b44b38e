import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { boundedFetch, PROVIDER_ANSWER_BYTES_MAX } from './bounded-fetch';

it('an answer of a login provider is read up to a limit, and no redirection is followed', async () => {
  const piece = Buffer.alloc(64 * 1024, ' ');
  let sentBytes = 0;
  let closed = (): void => undefined;
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const server = createServer((request, response) => {
    if (request.url === '/elsewhere') response.writeHead(302, { Location: '/short' }).end();
    else if (request.url === '/short') response.setHeader('X-A', 'b').end('{"a":1}');
    else {
      response.once('close', closed);
      const more = (): void => {
        while (!response.closed && response.write(piece)) sentBytes += piece.length;
      };
      response.on('drain', more);
      more();
    }
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const short = await boundedFetch(`${url}/short`, {});
    expect([short.status, short.headers.get('x-a'), await short.json()]).toEqual([200, 'b', { a: 1 }]);
    expect((await boundedFetch(`${url}/elsewhere`, {})).status).toBe(302);
    await expect(boundedFetch(`${url}/endless`, {})).rejects.toThrow(String(PROVIDER_ANSWER_BYTES_MAX));
    await isClosed;
    expect(sentBytes).toBeLessThan(64 * PROVIDER_ANSWER_BYTES_MAX);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
