import type { LoggerService } from '@nestjs/common';
import type { Clock } from '@proctor/clock';

/** The shortest interval between two lines about the same sender. */
export const EVERY_MS = 60_000;
/** Senders that are remembered; all further ones share one line. */
const SENDERS_MAX = 1_000;
const OTHERS = 'others';

interface Sender {
  loggedMs: number;
  /** Since the last line. */
  unlogged: number;
}

/**
 * Logs faults of messages that others have sent. The first fault of a sender is logged at once; those that follow
 * within a minute are counted, and the next line gives the count. So a sender of a thousand bad messages costs as much
 * log as one of two.
 */
export class Complaints {
  private readonly bySender = new Map<string, Sender>();

  constructor(
    private readonly logger: Pick<LoggerService, 'error'>,
    private readonly clock: Clock,
  ) {}

  /** @param sender the key of the count; never a text that the sender can choose */
  about(sender: string, line: string): void {
    const now = this.clock.now();
    const key = this.bySender.has(sender) || this.hasRoom(now) ? sender : OTHERS;
    const entry = this.bySender.get(key) ?? { loggedMs: -Infinity, unlogged: 0 };
    this.bySender.set(key, entry);
    if (now - entry.loggedMs < EVERY_MS) {
      entry.unlogged += 1;
      return;
    }
    const more =
      entry.unlogged === 0 ? '' : ` (and ${entry.unlogged} more complaints about ${key} since the last line)`;
    this.logger.error(line + more);
    Object.assign(entry, { loggedMs: now, unlogged: 0 });
  }

  /** Senders without a recent fault make room for others. */
  private hasRoom(now: number): boolean {
    if (this.bySender.size < SENDERS_MAX) return true;
    for (const [sender, { loggedMs, unlogged }] of this.bySender)
      if (unlogged === 0 && now - loggedMs >= EVERY_MS) this.bySender.delete(sender);
    return this.bySender.size < SENDERS_MAX;
  }
}
