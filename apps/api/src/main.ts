import 'reflect-metadata';
import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { connections, followConfiguration, LiveConfiguration } from '@proctor/config';
import {
  activatedSocket,
  endOnRequest,
  endWithSupervisor,
  fail,
  freeStartLeavings,
  nameSourcesInStacks,
  processLogger,
  warnOfCoreDumps,
} from '@proctor/process';
import { settleSurroundings, surviveLostOutput } from '@proctor/surroundings';
import { AppModule } from './app.module';
import { createApplication } from './application';
import { Leaving } from './http/leaving';

/** How long running requests may take at the end. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

/** The parts of the configuration that the api uses. */
const PARTS = ['server', 'store', 'extraAptSources', 'rejectList'] as const;

surviveLostOutput();
const notices = settleSurroundings();
endWithSupervisor();
nameSourcesInStacks();
const logger = processLogger();

async function main(): Promise<void> {
  warnOfCoreDumps(logger, 'Api');
  for (const line of notices) logger.warn(line, 'Api');
  const configuration = await LiveConfiguration.load(PARTS);
  const { host, port } = configuration.server;
  const root = AppModule.forRoot(configuration, connections());
  const application = await createApplication(root, configuration.server, { logger });
  endOnRequest(logger, 'Api', async () => {
    const server = application.getHttpServer();
    await application.get(Leaving).start(server, configuration.server.leaveNoticeMs);
    setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS).unref();
    await application.close();
  });
  const socket = activatedSocket();
  if (socket === null) await application.listen(port, host);
  else await listenAt(socket, application);
  const place = socket === null ? `http://${host}:${port}` : 'the socket that the service manager passed';
  logger.log(`listening at ${place}`, 'Api');
  followConfiguration(configuration, new Logger('Configuration'));
  process.send?.({ ready: true });
  freeStartLeavings();
}

/** While no api runs, connections wait in such a socket: a restart refuses none. */
async function listenAt(socket: number, application: NestExpressApplication): Promise<void> {
  await application.init();
  const server = application.getHttpServer();
  server.listen({ fd: socket });
  await once(server, 'listening');
}

main().catch((error: unknown) => fail(logger, 'Api', error));
