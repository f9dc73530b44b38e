import type { Clock } from '@proctor/clock';
import type { RequestKind } from '@proctor/contracts';
import type { Write } from '@proctor/dispatch';

/** What happened, line by line, and how often each thing that matters was done. */
export class Story {
  readonly trace: string[] = [];
  readonly deeds = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly onTrace: (line: string) => void,
  ) {}

  note(text: string): void {
    const line = `${(this.clock.now() / 1000).toFixed(3).padStart(9)} ${text}`;
    this.trace.push(line);
    this.onTrace(line);
  }

  did(deed: string): void {
    this.deeds.set(deed, (this.deeds.get(deed) ?? 0) + 1);
  }

  written(arch: string, write: Write, epoch: number): void {
    const { kind, ...what } = write;
    this.note(`books: ${arch}: ${kind} ${JSON.stringify(what)} (epoch ${epoch})`);
    this.did(write.kind === 'finish' ? `finish, attempt ${write.attemptOutcome}` : write.kind);
    if (write.kind === 'requeue') this.did(`requeue, attempt ${write.outcome}`);
    if (write.kind === 'requeue' && write.reason.includes('was revoked by'))
      this.did('run taken from a revoked worker');
    if (write.kind !== 'judge-worker') return;
    this.did(`worker judged ${write.standing}`);
    if (write.reason.startsWith('trusted by')) this.did('worker trusted');
  }

  replied(kind: RequestKind, reply: object): void {
    const { lease, canary, wanted, refused, notice, instruction, returned } = reply as Record<
      string,
      unknown
    >;
    const isRevoked = typeof refused === 'string' && refused.includes('was revoked');
    if (refused) this.did(isRevoked ? 'revoked worker refused' : 'lease answered with a refusal');
    if (notice) this.did('worker warned of another of its name');
    if (canary) this.did('lease answered with a canary test');
    if (lease) this.did('lease answered with a lease');
    if (Array.isArray(wanted) && wanted.length > 0) this.did('lease answered with a wanted testbed');
    if (kind === 'renew') this.did(`renew answered ${String(instruction)}`);
    if (kind === 'return') this.did(`return answered ${String(returned)}`);
  }
}
