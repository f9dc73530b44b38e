import type { LeaseReply } from '@proctor/contracts';
import type { Log } from '@proctor/process';

type Notice = Pick<LeaseReply, 'refused' | 'notice'>;

/** The dispatchers' notices about the whole worker; each change is logged once for all slots. */
export class Notices {
  /** Architecture → the last notice of its dispatcher, if any. */
  private readonly byArch = new Map<string, Notice>();

  constructor(private readonly log: Log) {}

  /** A dispatcher has answered a request. */
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
    else this.log.log(`the dispatcher of ${arch} no longer says: ${before}`);
  }

  /** Why a dispatcher grants nothing; undefined: none refuses. */
  get refusal(): string | undefined {
    return [...this.byArch.values()].find(({ refused }) => refused !== undefined)?.refused;
  }

  /** The present problem, even if it prevents no grant. */
  get problem(): string | undefined {
    return this.refusal ?? textOf([...this.byArch.values()][0]);
  }
}

function textOf(notice: Notice | undefined): string | undefined {
  return notice?.refused ?? notice?.notice;
}
