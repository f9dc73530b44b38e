import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { type ConnectionLimits, limitConnections } from './connection-limit';

let server: Server;
const clients: Socket[] = [];
const lines: string[] = [];

async function start(limits: ConnectionLimits, isProxy = () => false): Promise<void> {
  const logger = new Logger();
  logger.warn = (line: string) => void lines.push(line);
  server = createServer((_, response) => response.end('answer'));
  limitConnections(server, limits, isProxy, logger);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
afterEach(() => {
  clients.splice(0).forEach((client) => client.destroy());
  lines.splice(0);
  server.closeAllConnections();
  server.close();
});

/** A connection from there on which a request was sent, and whether it was answered. */
async function ask(localAddress: string): Promise<{ client: Socket; isAnswered: boolean }> {
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
  clients.push(client);
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const isAnswered = await new Promise<boolean>((resolve) => {
    client.once('data', () => resolve(true));
    client.once('close', () => resolve(false));
  });
  return { client, isAnswered };
}
const connections = () =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
const answers = async (...addresses: string[]) => {
  const each: boolean[] = [];
  for (const address of addresses) each.push((await ask(address)).isAnswered);
  return each;
};

it('a network has so many connections, and another its own; one that ends makes room', async () => {
  await start({ connectionsMax: 100, connectionsPerAddressMax: 2 });
  const first = await ask('127.0.0.2');
  expect(await answers('127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.3')).toEqual([
    true,
    false,
    false,
    true,
  ]);
  first.client.destroy();
  while ((await connections()) > 2) await new Promise(setImmediate);
  expect(await answers('127.0.0.2')).toEqual([true]);
  expect(lines).toEqual([expect.stringContaining('127.0.0.2 has 2 (api.connectionsPerAddressMax)')]);
});

it('a proxy has as many as the process', async () => {
  await start({ connectionsMax: 3, connectionsPerAddressMax: 1 }, () => true);
  const proxy = '127.0.0.2';
  expect(await answers(proxy, proxy, proxy, proxy)).toEqual([true, true, true, false]);
  expect(lines).toEqual([expect.stringContaining('there are 3 (api.connectionsMax)')]);
});
