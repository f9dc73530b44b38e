import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import {
  createServer as createNetServer,
  type AddressInfo,
  type Server as NetServer,
  type Socket,
} from 'node:net';
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

// ANSWER_BYTES_MAX
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

describe('an answer at the edge of HTTP', () => {
  let raw: NetServer;
  let response: string;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    raw = createNetServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.once('data', () => socket.write(response));
    });
    raw.listen(0, '127.0.0.1');
    await once(raw, 'listening');
    url = `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    sockets.forEach((socket) => socket.destroy());
    raw.close();
    await once(raw, 'close');
  });

  it.each<[string, string, object]>([
    [
      'that changes the protocol ends the delivery',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      { status: 101, error: null },
    ],
    [
      'with a header of 20,000 characters',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      { status: null },
    ],
    [
      'with trailers of 20,000 characters',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      { status: null },
    ],
    [
      'with an extension of a chunk of 20,000 characters',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'y'.repeat(20_000)}\r\na\r\n0\r\n\r\n`,
      { status: null },
    ],
    [
      'that asks for a year of patience',
      'HTTP/1.1 503 No\r\nRetry-After: 99999999999\r\nContent-Length: 0\r\n\r\n',
      { status: 503, error: null },
    ],
  ])('%s', async (_, answered, expected) => {
    response = answered;
    expect(await send(20_000)).toMatchObject(expected);
  });

  it('that is preceded by hints without end is given up', async () => {
    response = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000);
    expect(await send(50)).toMatchObject({ status: null, error: 'there was no answer in time' });
  });
});
