import { readFileSync } from 'node:fs';
import type { LoggerService } from '@nestjs/common';

/**
 * Warns if a crash of this process would leave its memory, and with it its secrets, on disk. Node.js cannot forbid that
 * for its own process.
 * @param limits the content of /proc/self/limits, proc_pid_limits(5)
 */
export function warnOfCoreDumps(
  logger: LoggerService,
  name: string,
  limits = readFileSync('/proc/self/limits', 'utf8'),
): void {
  const soft = /^Max core file size +(\S+)/m.exec(limits)?.[1];
  if (soft === '0') return;
  logger.warn(
    'a core dump of this process would hold its secrets: set LimitCORE=0:infinity in its systemd unit, or ulimit -S -c 0',
    name,
  );
}
