import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { inTurn, PIPELINED_MAX } from './requests-in-turn';

let server: Server;
let client: Socket;
/** The addresses of requests that were begun, and the answers that were not given yet. */
let starts: string[];
let open: ServerResponse[];
let closed: number;
let received: string;
/** Called for each request that is begun. */
let onRequest: () => void;

beforeEach(async () => {
  [starts, open, closed, received, onRequest] = [[], [], 0, '', () => undefined];
  server = createServer((request, response) =>
    inTurn(request, response, () => {
      starts.push(request.url!);
      open.push(response);
      response.once('close', () => (closed += 1));
      onRequest();
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('data', (bytes) => (received += bytes.toString()));
  client.on('error', () => undefined);
});
afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
});

const send = (...names: string[]) =>
  client.write(names.map((name) => `GET /${name} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
const request = () => new Promise<void>((resolve) => (onRequest = resolve));

it('requests of one connection are answered one after the other, in their order', async () => {
  let next = request();
  send('a', 'b', 'c');
  for (const begunBy of [['/a'], ['/a', '/b'], ['/a', '/b', '/c']]) {
    await next;
    expect(starts).toEqual(begunBy);
    next = request();
    open.shift()!.end(begunBy.at(-1));
  }
  while (!received.includes('/c')) await once(client, 'data');
  expect(received.match(/\/[abc]/g)).toEqual(['/a', '/b', '/c']);
});

it('a request whose connection ends before its turn is never begun', async () => {
  const first = request();
  send('a', 'b', 'c');
  await first;
  const closing = once(open[0]!, 'close');
  client.destroy();
  await closing;
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect([starts, closed]).toEqual([['/a'], 1]);
});

it('a connection with too many requests that wait is closed', async () => {
  const names = Array.from({ length: PIPELINED_MAX + 2 }, (_, place) => `${place}`);
  send(...names);
  await once(client, 'close');
  expect([starts, closed]).toEqual([['/0'], 1]);
});

it('as many as may wait are answered, again and again', async () => {
  onRequest = () => open.shift()!.end('answer');
  const names = Array.from({ length: PIPELINED_MAX + 1 }, (_, place) => `${place}`);
  for (let round = 1; round <= 3; round += 1) {
    send(...names);
    const count = () => received.match(/answer/g)?.length ?? 0;
    while (count() < round * names.length) await once(client, 'data');
  }
  expect(starts).toEqual([...names, ...names, ...names].map((name) => `/${name}`));
});
