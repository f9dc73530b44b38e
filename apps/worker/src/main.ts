import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import { BusStrategy } from '@proctor/bus';
import { connections, deploymentPaths, followConfiguration, LiveConfiguration } from '@proctor/config';
import {
  endOnRequest,
  endWithSupervisor,
  fail,
  freeStartLeavings,
  nameSourcesInStacks,
  processLogger,
  warnOfCoreDumps,
  withLogFields,
} from '@proctor/process';
import { settleSurroundings, surviveLostOutput } from '@proctor/surroundings';
import { WorkerLife } from './life/life';
import { lockWorkFolder } from './life/work-folder';
import { Worker } from './life/worker';
import { detectMachine } from './machine/machine';
import { WorkerModule } from './worker.module';

surviveLostOutput();
const notices = settleSurroundings();
endWithSupervisor();
nameSourcesInStacks();
const logger = processLogger();

async function main(): Promise<void> {
  warnOfCoreDumps(logger, 'Worker');
  for (const line of notices) logger.warn(line, 'Worker');
  const configuration = await LiveConfiguration.load(['worker']);
  await withLogFields({ worker: configuration.worker.name }, () => run(configuration));
}

async function run(configuration: LiveConfiguration): Promise<void> {
  const { workPath } = configuration.worker;
  lockWorkFolder(workPath);
  const life = await WorkerLife.start(workPath, new Logger('Life'));
  const hidden = deploymentPaths(configuration, process.env);
  const machine = await detectMachine(configuration.worker, 'runs', hidden);
  const module = WorkerModule.forRoot({ configuration, machine, life }, connections(process.env));
  const app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(module, {
    inject: [BusStrategy],
    useFactory: (strategy: BusStrategy) => ({ strategy }),
    logger,
  });
  const worker = app.get(Worker);
  const stop = () => app.close();
  const drain = () => worker.drain();
  endOnRequest(logger, 'Worker', stop, drain);
  await app.listen();
  followConfiguration(configuration, new Logger('Configuration'));
  process.send?.({ ready: true });
  freeStartLeavings();
  logger.log('ready', 'Worker');
  await worker.start();
}

main().catch((error: unknown) => fail(logger, 'Worker', error));
