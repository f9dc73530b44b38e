import type { LoggerService } from '@nestjs/common';
import type { Clock } from '@proctor/clock';

/** Interval of the log lines during an outage. */
const STILL_EVERY_MS = 600_000;
/** Least interval of the log lines about an outage that comes and goes. */
const LOG_EVERY_MS = 60_000;

interface Outage {
  loggedMs: number;
  isLogged: boolean;
  failures: number;
}

/** Logs that something fails: once, at intervals during the outage, and when it is over; not each time. */
export class Outages {
  private readonly byWhat = new Map<string, Outage>();

  constructor(
    private readonly logger: Pick<LoggerService, 'log' | 'warn'>,
    private readonly clock: Clock,
  ) {}

  /** @param what starts the line; there must be few different ones */
  onFailure(what: string, reason: string): void {
    const outage = this.byWhat.get(what) ?? { loggedMs: -Infinity, isLogged: false, failures: 0 };
    this.byWhat.set(what, outage);
    outage.failures += 1;
    const now = this.clock.now();
    if (now - outage.loggedMs < (outage.isLogged ? STILL_EVERY_MS : LOG_EVERY_MS)) return;
    const count = outage.failures > 1 ? ` (${outage.failures} times so far)` : '';
    this.logger.warn(`${what}: not now, it is tried again${count}: ${reason}`);
    outage.loggedMs = now;
    outage.isLogged = true;
  }

  onSuccess(what: string): void {
    const outage = this.byWhat.get(what);
    if (!outage) return;
    if (outage.isLogged) this.logger.log(`${what}: done again, after ${outage.failures} failures`);
    outage.isLogged = false;
    outage.failures = 0;
  }
}
