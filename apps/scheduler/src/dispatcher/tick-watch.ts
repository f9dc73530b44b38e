import type { Mailbox } from './mailbox';

/**
 * Says when a deadline may be acted upon: once every letter has been handled that was there when it had passed, so that
 * no lease expires whose renewal waits in the mailbox. Letters that come later delay nothing.
 */
export class TickWatch {
  private passed: { atMs: number; received: number } | null = null;

  constructor(private readonly mailbox: Pick<Mailbox, 'received' | 'taken'>) {}

  /**
   * To be asked at each turn, with the letters of the turn taken.
   * @param deadlineMs when time alone next changes something; null when it never does
   * @returns the moment up to which deadlines may be acted upon; null when none may
   */
  dueMs(deadlineMs: number | null, now: number): number | null {
    if (deadlineMs === null || deadlineMs > now) this.passed = null;
    else this.passed ??= { atMs: now, received: this.mailbox.received };
    if (!this.passed || this.mailbox.taken < this.passed.received) return null;
    const { atMs } = this.passed;
    this.passed = null;
    return atMs;
  }
}
