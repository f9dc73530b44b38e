import type { LeaseReply } from '@proctor/contracts';
import type { Log } from '@proctor/process';

type Told = Pick<LeaseReply, 'refused' | 'notice'>;

/** What the dispatchers say about this worker as a whole; each change is logged once, whichever slot is told. */
export class Notices {
  /** Architecture → what its dispatcher said last, if anything. */
  private readonly told = new Map<string, Told>();

  constructor(private readonly log: Log) {}

  /** A dispatcher has answered. */
  heard(arch: string, { refused, notice }: Told): void {
    const before = textOf(this.told.get(arch));
    const text = refused ?? notice;
    if (text === undefined) this.told.delete(arch);
    else
      this.told.set(arch, {
        ...(refused !== undefined && { refused }),
        ...(notice !== undefined && { notice }),
      });
    if (text === before) return;
    if (text !== undefined) this.log.warn(`the dispatcher of ${arch} says: ${text}`);
    else this.log.log(`the dispatcher of ${arch} says no more: ${before}`);
  }

  /** Why some dispatcher grants nothing; undefined when none refuses. */
  get refusal(): string | undefined {
    return [...this.told.values()].find(({ refused }) => refused !== undefined)?.refused;
  }

  /** What is wrong, though it may keep nothing from being granted. */
  get problem(): string | undefined {
    return this.refusal ?? textOf([...this.told.values()][0]);
  }
}

function textOf(told: Told | undefined): string | undefined {
  return told?.refused ?? told?.notice;
}
