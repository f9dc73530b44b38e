import type { Clock } from '@proctor/clock';
import type { LeaseReply, StandingNotice } from '@proctor/contracts';
import type { Log } from '@proctor/process';

/** The standing of this worker for the dispatcher of an architecture. */
export interface ReportedStanding extends Pick<StandingNotice, 'standing' | 'reason'> {
  /** Seconds until its next run (`slowed`) or canary test (`quarantined`). */
  untilSeconds: number;
}

/** The standings of this worker for the dispatchers, from the answers to all its slots; a change is logged once. */
export class Standings {
  private readonly byArch = new Map<string, StandingNotice>();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onAnswer({ arch, standing }: Pick<LeaseReply, 'arch' | 'standing'>): void {
    const before = this.byArch.get(arch);
    if (!standing) {
      if (this.byArch.delete(arch)) this.log.log(`${arch}: this worker is sound again for its dispatcher`);
      return;
    }
    this.byArch.set(arch, { ...standing, untilMs: this.clock.now() + standing.untilMs });
    if (before?.standing === standing.standing && before.reason === standing.reason) return;
    const what = standing.standing === 'slowed' ? 'its next run' : 'a canary test';
    const seconds = Math.ceil(standing.untilMs / 1000);
    this.log.warn(
      `${arch}: this worker is ${standing.standing} by its dispatcher, ${what} in ${seconds} s: ${standing.reason}`,
    );
  }

  /** Architecture → the standing there, unless it is sound. */
  current(): Record<string, ReportedStanding> {
    const entries = [...this.byArch].map(([arch, { standing, reason, untilMs }]) => {
      const untilSeconds = Math.max(0, Math.ceil((untilMs - this.clock.now()) / 1000));
      return [arch, { standing, reason, untilSeconds }] as const;
    });
    return Object.fromEntries(entries);
  }
}
