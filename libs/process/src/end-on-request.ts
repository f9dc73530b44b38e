import type { LoggerService } from '@nestjs/common';

/** Without a supervisor nobody kills a process that does not come to its end. */
const ALONE_TIMEOUT_MS = 10_000;

const exitAlone = (): never => process.exit(1);

/** Ends this process when its supervisor goes while it still starts; from `endOnRequest` on, that ends it in order. */
export function endWithSupervisor(): void {
  process.once('disconnect', exitAlone);
}

/**
 * Ends the process in order, once: at SIGTERM, when its supervisor is gone (the IPC channel closes), and at Ctrl-C
 * when there is no supervisor to order the end. The exit status is 1 when `stop` fails.
 * @param drain finishes what is under way, however long that takes, and takes no more. With it, the first SIGTERM only
 * drains and what ends the process is the end of that, a second SIGTERM, or SIGINT, whether there is a supervisor or not
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
      () => end('nothing is under way any more'),
      (error: unknown) => fail(logger, name, error),
    );
  });
  const endAlone = (): void => {
    setTimeout(exitAlone, ALONE_TIMEOUT_MS).unref();
    end('the supervisor is gone');
  };
  process.once('disconnect', endAlone);
  process.off('disconnect', exitAlone);
  // A Ctrl-C reaches the whole process group: a supervisor that is there stops its children in its own order.
  process.on('SIGINT', () => (process.connected && !drain) || end('SIGINT'));
}

/** The last words of a process that cannot go on. */
export function fail(logger: LoggerService, name: string, error: unknown): never {
  logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error), name);
  process.exit(1);
}
