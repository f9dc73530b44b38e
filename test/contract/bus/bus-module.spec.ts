import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Controller, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern, type AsyncMicroserviceOptions } from '@nestjs/microservices';
import { Bus, BusModule, BusStrategy, connectBus, RemoteError } from '@proctor/bus';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { PATIENCE_MS } from '@test/support/until';
import { testNatsCredentials } from './nats-server';
import { newScope } from './server';

Logger.overrideLogger(false);

@Controller()
class Failing {
  @MessagePattern(SUBJECTS.status)
  status(): never {
    throw new Error('the very message');
  }
}

it('the module of the bus serves handlers with their errors as they are, and disconnects at shutdown', async () => {
  const file = join(String(process.env['PROCTOR_TEST_FOLDER']), `${randomUUID()}.json`);
  await writeFile(file, JSON.stringify(testNatsCredentials()));
  @Module({ imports: [BusModule.forServing(file)], controllers: [Failing] })
  class Service {}
  const app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(Service, {
    inject: [BusStrategy],
    useFactory: (strategy: BusStrategy) => ({ strategy }),
    logger: false,
  });
  await app.listen();
  const scope = newScope();
  await app.get(BusStrategy).serve(scope);

  const client = await connectBus(testNatsCredentials());
  const asking = client.request(subjectOf(SUBJECTS.status, scope), {}, PATIENCE_MS);
  await expect(asking).rejects.toThrow(new RemoteError('the very message'));
  await client.close();

  const bus = app.get(Bus);
  expect(bus.isConnected()).toBe(true);
  await app.close();
  expect(bus.isConnected()).toBe(false);
  await rm(file);
});

it('the module of the bus connects to a server that had no time to check its credentials at first', async () => {
  const credentials = testNatsCredentials();
  const { hostname, port } = new URL(credentials.url);
  let connections = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname).on('error', () => client.destroy());
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.pipe(client);
    connections += 1;
    if (connections > 1) client.pipe(upstream);
    else client.once('data', () => client.end("-ERR 'Authentication Timeout'\r\n"));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const bus = await connectBus({ ...credentials, url });
    expect([bus.isConnected(), connections]).toEqual([true, 2]);
    await bus.close();
  } finally {
    server.close();
  }
});
