import type { LeaseReply } from '@proctor/contracts';
import type { Log } from '@proctor/process';

type Notice = Pick<LeaseReply, 'refused' | 'notice'>;

/** What the dispatchers say about this worker as a whole; each change is logged once, whichever slot is told. */
export class Notices {
  /** Architecture → what its dispatcher said last, if anything. */
  private readonly byArch = new Map<string, Notice>();

  constructor(private readonly log: Log) {}

  /** A dispatcher has answered. */
  onAnswer(arch: string, { refused, notice }: Notice): void {
    const before = textOf(this.byArch.get(arch));
    const text = refused ?? notice;
    if (text === undefined) this.byArch.delete(arch);
    else
      this.byArch.set(arch, {
        ...(refused !== undefined && { refused }),
        ...(notice !== undefined && { notice }),
      });
    if (text === before) return;
    if (text !== undefined) this.log.warn(`the dispatcher of ${arch} says: ${text}`);
    else this.log.log(`the dispatcher of ${arch} says no more: ${before}`);
  }

  /** Why some dispatcher grants nothing; undefined when none refuses. */
  get refusal(): string | undefined {
    return [...this.byArch.values()].find(({ refused }) => refused !== undefined)?.refused;
  }

  /** What is wrong, though it may keep nothing from being granted. */
  get problem(): string | undefined {
    return this.refusal ?? textOf([...this.byArch.values()][0]);
  }
}

function textOf(notice: Notice | undefined): string | undefined {
  return notice?.refused ?? notice?.notice;
}
