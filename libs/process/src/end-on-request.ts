import type { LoggerService } from '@nestjs/common';

/** Time limit for the end without a supervisor, since then no other process would kill this one. */
const ALONE_TIMEOUT_MS = 10_000;

const exitAlone = (): never => process.exit(1);

/** Ends this process when its supervisor ends during the start; later endOnRequest ends it in order. */
export function endWithSupervisor(): void {
  process.once('disconnect', exitAlone);
}

/**
 * Ends the process in order, once: at SIGTERM, when its supervisor is gone (the IPC channel closes), and at Ctrl-C if
 * it has no supervisor. The exit status is 1 if `stop` fails.
 * @param drain finishes the running work, however long that takes, and accepts no new work. If it is set, the first
 * SIGTERM only drains; the process ends after that, at a second SIGTERM, or at SIGINT, with or without a supervisor
 */
export function endOnRequest(
  logger: LoggerService,
  name: string,
  stop: () => Promise<void>,
  drain?: () => Promise<void>,
): void {
  let ending = false;
  const end = (reason: string): void => {
    if (ending) return;
    ending = true;
    logger.log(`stopping: ${reason}`, name);
    stop().then(
      () => process.exit(0),
      (error: unknown) => fail(logger, name, error),
    );
  };
  let draining = drain === undefined;
  process.on('SIGTERM', () => {
    if (draining || !drain) return end('SIGTERM');
    draining = true;
    drain().then(
      () => end('all work has ended'),
      (error: unknown) => fail(logger, name, error),
    );
  });
  const endAlone = (): void => {
    setTimeout(exitAlone, ALONE_TIMEOUT_MS).unref();
    end('the supervisor is gone');
  };
  process.once('disconnect', endAlone);
  process.off('disconnect', exitAlone);
  // A Ctrl-C reaches the whole process group: a running supervisor stops its children in its own order.
  process.on('SIGINT', () => (process.connected && !drain) || end('SIGINT'));
}

/** Logs the error of a process that cannot continue, and ends the process. */
export function fail(logger: LoggerService, name: string, error: unknown): never {
  logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error), name);
  process.exit(1);
}
