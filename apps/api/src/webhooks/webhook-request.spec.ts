import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendMessage } from './webhook-request';

let server: Server;
let url: string;
let answer: RequestListener;

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const send = (timeoutMs: number) =>
  sendMessage({ url, headers: {}, body: '{}' }, { timeoutMs, allowedNetworks: ['127.0.0.0/8'] });

it('an address that does not answer in time is given up, also one that answers a byte at a time', async () => {
  answer = () => undefined;
  expect(await send(50)).toMatchObject({ status: null, error: 'there was no answer in time' });
  answer = (_request, response) => {
    response.writeHead(200).write('x');
  };
  expect(await send(50)).toMatchObject({ status: null, error: 'there was no answer in time' });
});

it('of an answer without an end 64 KiB are read, and its beginning is kept', async () => {
  let bytes = 0;
  const closed = new Promise<void>((resolve) => {
    answer = (request, response) => {
      request.socket.once('close', resolve);
      response.writeHead(200);
      const more = (): void => {
        const part = Buffer.alloc(16_384, 'y');
        while (!response.destroyed && response.write(part)) bytes += part.length;
        response.once('drain', more);
      };
      more();
    };
  });
  const { status, text, error } = await send(20_000);
  expect([status, error, text]).toEqual([200, null, 'y'.repeat(1_000)]);
  await closed;
  expect(bytes).toBeLessThan(64 * 1024 * 1024);
});
