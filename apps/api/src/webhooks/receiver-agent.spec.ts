import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectionTo } from './receiver-agent';

let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((_request, response) => void response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.close();
  await once(server, 'close');
});

/** @returns the status of the answer, or why there is none */
function connect(host: string, allowedNetworks: string[]): Promise<unknown> {
  const url = new URL(`http://${host}:${port}/`);
  return new Promise((resolve) =>
    request(url, connectionTo(url, allowedNetworks), ({ statusCode }) => resolve(statusCode))
      .once('error', ({ message }) => resolve(message))
      .end(),
  );
}

const REFUSED = expect.stringContaining('is not allowed. Because');

it.each<[string, string[], unknown]>([
  ['127.0.0.1', ['::1/128', 'fd00::/8', '127.0.0.0/8'], 200],
  ['localhost', ['::1/128', 'fd00::/8', '127.0.0.1/8'], 200],
  ['127.0.0.1', ['::1', '127.0.0.1'], 200],
  ['127.0.0.1', [], REFUSED],
  ['localhost', [], REFUSED],
  ['127.0.0.1', ['10.0.0.0/8', '127.0.0.2'], REFUSED],
  ['localhost', ['::/0', '::1'], REFUSED],
  ['127.0.0.1', ['::/0', '::ffff:127.0.0.1', '::ffff:127.0.0.0/104'], REFUSED],
  ['[::1]', ['127.0.0.0/8', '0.0.0.0/0', 'fd00::/8'], REFUSED],
  ['[::]', ['0.0.0.0/0'], REFUSED],
  ['[::ffff:127.0.0.1]', ['127.0.0.0/8'], REFUSED],
  ['[fd00::1]', ['fe80::/10', '10.0.0.0/8'], REFUSED],
  // Where clouds have credentials, in all notations; one of these addresses is of the public Internet.
  ['168.63.129.16', [], REFUSED],
  ['0xA83F8110', [], REFUSED],
  ['2822734096', [], REFUSED],
  ['[::ffff:168.63.129.16]', [], REFUSED],
  ['[::168.63.129.16]', [], REFUSED],
  ['[::169.254.169.254]', [], REFUSED],
  ['2852039166', [], REFUSED],
  ['0251.0376.0251.0376', [], REFUSED],
  ['[64:ff9b::a9fe:a9fe]', [], REFUSED],
  ['[fd00:ec2::254]', [], REFUSED],
  ['100.100.100.200', [], REFUSED],
])('a connection to %s with %j allowed, without a warning', async (host, networks, expected) => {
  const warn = jest.spyOn(console, 'warn').mockReturnValue();
  try {
    expect(await connect(host, networks)).toEqual(expected);
    expect(warn).not.toHaveBeenCalled();
  } finally {
    warn.mockRestore();
  }
});
