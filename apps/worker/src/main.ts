import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import { BusStrategy } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import { connections, deploymentPaths, followConfiguration, LiveConfiguration } from '@proctor/config';
import { endOnRequest, fail, processLogger, warnOfCoreDumps, withLogFields } from '@proctor/process';
import { HealthLog } from './health/health-log';
import { HealthServer } from './health/health-server';
import { WorkerHealth } from './health/worker-health';
import { Life } from './life/life';
import { lockWorkFolder } from './life/work-folder';
import { lookAtMachine } from './machine/machine';
import { Worker } from './life/worker';
import { WorkerModule } from './worker.module';

const logger = processLogger();

async function main(): Promise<void> {
  warnOfCoreDumps(logger, 'Worker');
  const configuration = await LiveConfiguration.load(['worker']);
  await withLogFields({ worker: configuration.worker.name }, () => run(configuration));
}

async function run(configuration: LiveConfiguration): Promise<void> {
  const { workPath } = configuration.worker;
  lockWorkFolder(workPath);
  const life = await Life.begin(workPath, new Logger('Life'));
  const hidden = deploymentPaths(configuration, process.env);
  const machine = await lookAtMachine(configuration.worker, 'runs', hidden);
  const module = WorkerModule.forRoot(configuration, machine, life, connections(process.env));
  const app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(module, {
    inject: [BusStrategy],
    useFactory: (strategy: BusStrategy) => ({ strategy }),
    logger,
  });
  await app.listen();
  const worker = app.get(Worker);
  const health = app.get(WorkerHealth);
  const healthLog = new HealthLog(health, systemClock, new Logger('Health'));
  const healthServer = new HealthServer(health, new Logger('Health'));

  const stop = async () => {
    await worker.stop();
    healthLog.stop();
    await healthServer.close();
    await app.close();
  };
  endOnRequest(logger, 'Worker', stop, () => worker.drain());
  await worker.cleanUp();
  if (configuration.worker.metrics.port > 0) await healthServer.listen(configuration.worker.metrics);
  healthLog.start();
  const strategy = app.get(BusStrategy);
  const { name, architectures } = worker;
  await Promise.all([strategy.serveWorker(name), ...architectures.map((arch) => strategy.serve(arch))]);
  followConfiguration(configuration, new Logger('Configuration'));
  process.send?.({ ready: true });
  logger.log('ready', 'Worker');
  await worker.start();
}

main().catch((error: unknown) => fail(logger, 'Worker', error));
