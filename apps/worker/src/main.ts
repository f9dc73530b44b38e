import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import { BusStrategy } from '@proctor/bus';
import { connections, followConfiguration, LiveConfiguration } from '@proctor/config';
import { endOnRequest, fail, processLogger } from '@proctor/process';
import { lookAtMachine } from './machine/machine';
import { Worker } from './worker';
import { WorkerModule } from './worker.module';

const logger = processLogger();

async function main(): Promise<void> {
  const configuration = await LiveConfiguration.load(['worker']);
  const machine = await lookAtMachine(configuration.worker);
  const module = WorkerModule.forRoot(configuration, machine, connections(process.env));
  const app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(module, {
    inject: [BusStrategy],
    useFactory: (strategy: BusStrategy) => ({ strategy }),
    logger,
  });
  await app.listen();
  const worker = app.get(Worker);

  endOnRequest(logger, 'Worker', async () => {
    await worker.stop();
    await app.close();
  });
  await worker.cleanUp();
  const strategy = app.get(BusStrategy);
  const scopes = new Set([worker.name, ...worker.architectures]);
  await Promise.all([...scopes].map((scope) => strategy.serve(scope)));
  followConfiguration(configuration, new Logger('Configuration'));
  process.send?.({ ready: true });
  logger.log('ready', 'Worker');
  await worker.start();
}

main().catch((error: unknown) => fail(logger, 'Worker', error));
