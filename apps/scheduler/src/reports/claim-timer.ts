import { Inject, Injectable } from '@nestjs/common';
import { Repeater, type Clock } from '@proctor/clock';
import { CLOCK } from '../configuration.token';

/**
 * Injection token of a function that returns the interval between renewals of a claim, in milliseconds; much shorter
 * than a lease lasts.
 */
export const CLAIM_RENEWAL = Symbol('claim renewal');

/** Repeats an action as often as the claims of reports are renewed. */
@Injectable()
export class ClaimTimer {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CLAIM_RENEWAL) private readonly renewMs: () => number,
  ) {}

  /** Calls `action` again and again, until the returned function is called. */
  repeat(action: () => void): () => void {
    const repeater = new Repeater(this.clock, this.renewMs, action);
    repeater.start();
    return () => repeater.stop();
  }
}
