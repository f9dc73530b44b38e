import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '@test/support/manual-clock';
import { Leaving } from './leaving';

const NOTICE_MS = 5_000;

async function headersOf(port: number): Promise<IncomingHttpHeaders> {
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  return Object.fromEntries(answer.headers);
}

it('a process that leaves ends what clients wait for at once, and its connections with their next answer', async () => {
  const server = createServer((_request, response) => response.end('well')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [clock, onEnd] = [new ManualClock(), jest.fn()];
  const leaving = new Leaving([onEnd, onEnd], clock);
  expect([leaving.isBegun, (await headersOf(port)).connection]).toEqual([false, 'keep-alive']);
  const onLeft = jest.fn();
  const leave = leaving.start(server, NOTICE_MS).then(onLeft);
  expect([leaving.isBegun, onEnd.mock.calls.length]).toEqual([true, 2]);
  expect((await headersOf(port)).connection).toBe('close');
  clock.advance(NOTICE_MS - 1);
  await Promise.resolve();
  expect(onLeft).not.toHaveBeenCalled();
  clock.advance(1);
  await leave;
  server.close();
});

it('a process that leaves also closes the connections whose requests it has still to answer', async () => {
  const server = createServer({ keepAliveTimeout: 60_000 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  await new Leaving([], new ManualClock()).start(server, 0);
  const closed = new Promise((resolve) => server.close(resolve));
  response.end('well');
  expect(await (await answer).text()).toBe('well');
  await closed;
  // Far below the time for which its connection would stay open.
});

it('a process that leaves without notice waits for no client', async () => {
  const server = createServer();
  await new Leaving([], new ManualClock()).start(server, 0);
});
