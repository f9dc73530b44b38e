import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import { BusStrategy } from '@proctor/bus';
import { connections, followConfiguration, LiveConfiguration } from '@proctor/config';
import {
  endOnRequest,
  endWithSupervisor,
  fail,
  freeStartLeavings,
  nameSourcesInStacks,
  processLogger,
  warnOfCoreDumps,
} from '@proctor/process';
import { settleSurroundings, surviveLostOutput } from '@proctor/surroundings';
import { SchedulerModule } from './scheduler.module';

/** The parts of the configuration that the scheduler uses. */
const PARTS = ['server', 'store', 'scheduler', 'retention', 'extraAptSources', 'rejectList'] as const;

surviveLostOutput();
const notices = settleSurroundings();
endWithSupervisor();
nameSourcesInStacks();
const logger = processLogger();

async function main(): Promise<void> {
  warnOfCoreDumps(logger, 'Scheduler');
  for (const line of notices) logger.warn(line, 'Scheduler');
  const configuration = await LiveConfiguration.load(PARTS);
  const module = SchedulerModule.forRoot(configuration, connections(process.env));
  const app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(module, {
    inject: [BusStrategy],
    useFactory: (strategy: BusStrategy) => ({ strategy }),
    logger,
  });
  endOnRequest(logger, 'Scheduler', () => app.close());
  await app.listen();
  followConfiguration(configuration, new Logger('Configuration'));
  process.send?.({ ready: true });
  freeStartLeavings();
  logger.log('ready', 'Scheduler');
}

main().catch((error: unknown) => fail(logger, 'Scheduler', error));
