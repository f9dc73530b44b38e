import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { connections, followConfiguration, LiveConfiguration } from '@proctor/config';
import { endOnRequest, fail, processLogger, warnOfCoreDumps } from '@proctor/process';
import { AppModule } from './app.module';
import { createApplication } from './application';

/** Answers under way get this long to be sent whole. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

/** What the api works by. */
const PARTS = ['server', 'store', 'extraAptSources', 'rejectList'] as const;

const logger = processLogger();

async function main(): Promise<void> {
  warnOfCoreDumps(logger, 'Api');
  const configuration = await LiveConfiguration.load(PARTS);
  const { host, port } = configuration.server;
  const root = AppModule.forRoot(configuration, connections());
  const application = await createApplication(root, configuration.server, { logger });
  endOnRequest(logger, 'Api', async () => {
    const server = application.getHttpServer();
    setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS).unref();
    await application.close();
  });
  await application.listen(port, host);
  logger.log(`listening at http://${host}:${port}`, 'Api');
  followConfiguration(configuration, new Logger('Configuration'));
  process.send?.({ ready: true });
}

main().catch((error: unknown) => fail(logger, 'Api', error));
