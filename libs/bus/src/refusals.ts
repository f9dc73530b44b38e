import type { LoggerService } from '@nestjs/common';
import type { Clock } from '@proctor/clock';

/**
 * A refusal that lasts this long is final. A shorter one may be a mistake in the accounts of nats-server that is being
 * corrected.
 */
const FINAL_AFTER_MS = 10_000;
/** Interval of the log lines during a refusal. */
const STILL_EVERY_MS = 600_000;

/** Logs that nats-server refuses a user that was connected before: once, and at intervals. */
export class Refusals {
  private readonly listeners = new Set<() => void>();
  private sinceMs: number | null = null;
  private loggedMs = -Infinity;
  private isFinal = false;

  /** @param user its name; `host` is that of nats-server */
  constructor(
    private readonly user: string,
    private readonly host: string,
    private readonly logger: Pick<LoggerService, 'error'>,
    private readonly clock: Clock,
  ) {}

  /** Call it at each refusal; the client tries again about once a second. */
  onRefused(): void {
    const now = this.clock.now();
    this.sinceMs ??= now;
    if (now - this.loggedMs >= STILL_EVERY_MS) {
      this.loggedMs = now;
      this.logger.error(
        `nats-server at ${this.host} no longer lets ${this.user} in: if it was revoked, stop this process; if its key was ` +
          'changed, start it again with its new credentials. It is tried again',
      );
    }
    if (this.isFinal || now - this.sinceMs < FINAL_AFTER_MS) return;
    this.isFinal = true;
    for (const listener of this.listeners) listener();
  }

  onAdmitted(): void {
    this.sinceMs = null;
    this.loggedMs = -Infinity;
    this.isFinal = false;
  }

  /** `listener` is called once a refusal has lasted for ten seconds. The returned function removes the listener. */
  onFinal(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
