import { Controller, Module, type OnModuleDestroy } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { NoAnswer } from './bus';
import { LastingBusStrategy } from './bus.module';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';

const SUBJECT = subjectOf(SUBJECTS.status, 'amd64');

it('a process receives messages until its providers have stopped', async () => {
  const broker = new MemoryBroker();
  const [client, bus] = [new MemoryBus(broker), new MemoryBus(broker)];
  const strategy = new LastingBusStrategy(bus);
  const ask = () => client.request(SUBJECT, {}, 2_000);
  let answered: unknown;
  @Controller()
  class Handlers implements OnModuleDestroy {
    @MessagePattern(SUBJECTS.status)
    status(): object {
      return { received: true };
    }

    async onModuleDestroy(): Promise<void> {
      answered = await ask();
    }
  }
  @Module({
    controllers: [Handlers],
    providers: [{ provide: LastingBusStrategy, useValue: strategy }],
  })
  class TestModule {}
  const app = await NestFactory.createMicroservice(TestModule, { strategy, logger: false });
  await app.listen();
  await strategy.serve('amd64');
  await app.close();
  expect(answered).toEqual({ received: true });
  await expect(ask()).rejects.toThrow(NoAnswer);
  await Promise.all([client.close(), bus.close()]);
});
