import type { Lease, LeaseReply, SlotIdentity, StopAttemptSignal } from '@proctor/contracts';
import { withLogFields } from '@proctor/process';
import { Canaries } from './canaries';
import { giveBack } from './give-back';
import { HeldLease, type HoldingEnd } from './held-lease';
import type { SlotParts } from './ports';
import { WakeUp, within } from './wake-up';

/** Once work is waiting, an answer that took longer counts as lost: its dispatcher may have been replaced. */
const HURRIED_REPLY_MS = 1_000;

/**
 * One place for a running attempt. It asks the dispatchers of its architectures in turn, executes what it is granted,
 * and asks again when the result is in the books.
 */
export class Slot {
  private readonly wakeUp: WakeUp;
  private stopping = false;
  /** The ask whose answer is waited for; a grant in any other answer goes back. */
  private awaited: string | null = null;
  private granted: Lease | null = null;
  private held: HeldLease | null = null;
  private readonly canaries: Canaries;
  /** Index of the architecture to ask next: each gets its turn. */
  private next = 0;
  private readonly givingBack = new Map<string, Promise<boolean>>();
  /** Architecture → why the last ask was not answered. */
  private readonly troubles = new Map<string, string>();
  private running: Promise<void> | null = null;
  /** Shortens the wait for the answer to the ask that is out. */
  private hurry = (): void => undefined;

  constructor(
    private readonly identity: SlotIdentity,
    private readonly architectures: string[],
    private readonly parts: SlotParts,
  ) {
    this.wakeUp = new WakeUp(parts.clock);
    this.canaries = new Canaries(parts);
  }

  start(): void {
    this.running ??= this.loop();
  }

  /** Work may be waiting: an idle slot asks at once, and one whose ask has no answer yet will soon. */
  wake(): void {
    this.wakeUp.wake();
    this.hurry();
  }

  /** Ends the attempt at once, if it is the one that is executed here. */
  stopAttempt(signal: StopAttemptSignal): void {
    this.held?.stop(signal);
  }

  /** Takes nothing more, and resolves when what it holds has ended and its result is in the books. */
  async drain(reason: string): Promise<void> {
    this.stopping = true;
    this.wakeUp.wake();
    this.canaries.stop(reason);
    await this.running;
    await Promise.all(this.givingBack.values());
  }

  /**
   * Takes nothing more; hands back what it holds, ends its attempt, and resolves when nothing of it is left. It may be
   * told so while it drains.
   */
  async stop(reason: string): Promise<void> {
    this.stopping = true;
    await this.held?.handBackAndEnd(reason);
    await this.drain(reason);
  }

  private async loop(): Promise<void> {
    while (!this.stopping) {
      this.wakeUp.forget();
      const pauseMs = await this.askEach();
      if (pauseMs !== null && !this.stopping) await this.wakeUp.wait(this.withJitter(pauseMs));
    }
  }

  /** Asks until one architecture has work and executes it. Returns the pause to make when none had. */
  private async askEach(): Promise<number | null> {
    const { retryMs } = this.parts.settings;
    let pauseMs = Infinity;
    for (let asked = 0; asked < this.architectures.length && !this.stopping; asked++) {
      const turn = this.next++;
      const arch = this.architectures[turn % this.architectures.length] as string;
      const reply = await this.ask(arch);
      if (reply?.canary && !reply.lease) {
        await this.canaries.execute(reply.canary);
        // Whoever wanted it hears of it first.
        this.next = turn;
        return null;
      }
      if (!reply?.lease) {
        pauseMs = Math.min(pauseMs, reply?.askAgainMs ?? retryMs);
      } else if (!(await this.wasGivenBack(reply.lease))) {
        return (await this.execute(reply.lease)) === 'not-started' ? retryMs : null;
      } else {
        this.granted = null;
        pauseMs = 0;
      }
    }
    return pauseMs;
  }

  /** The answer, or null when none came in time or it is not to be used. */
  private async ask(arch: string): Promise<LeaseReply | null> {
    const { client, testbeds } = this.parts;
    const ask = this.parts.newAskId();
    this.awaited = ask;
    const canary = this.canaries.resultFor(arch);
    const sorted = client
      .ask(arch, { ...this.identity, ask, ...testbeds.offer(arch), ...(canary && { canary }) })
      .then(
        (reply) => {
          this.troubles.delete(arch);
          return this.sort(arch, ask, reply);
        },
        (error: unknown) => this.complain(arch, String(error)),
      );
    const reply = await this.inTime(sorted);
    if (this.awaited === ask) this.awaited = null;
    if (reply) this.canaries.heard(arch);
    return reply;
  }

  /** Once for as long as it is the same: it asks every few seconds. */
  private complain(arch: string, why: string): null {
    if (this.troubles.get(arch) !== why) this.parts.log.warn(`no answer for ${arch}: ${why}`);
    this.troubles.set(arch, why);
    return null;
  }

  private async inTime(answer: Promise<LeaseReply | null>): Promise<LeaseReply | null> {
    const { clock, settings } = this.parts;
    const askedMs = clock.now();
    const hurried = new Promise<null>((resolve) => {
      this.hurry = () => {
        this.hurry = () => undefined;
        const leftMs = Math.max(0, askedMs + HURRIED_REPLY_MS - clock.now());
        void within(clock, leftMs, answer).then((reply) => reply ?? resolve(null));
      };
    });
    const reply = await Promise.race([within(clock, settings.replyTimeoutMs, answer), hurried]);
    this.hurry = () => undefined;
    return reply;
  }

  /** Looks at an answer, however late it comes. */
  private sort(arch: string, ask: string, reply: LeaseReply): LeaseReply | null {
    if (reply.arch !== arch || !this.parts.epochs.accepts(reply)) return null;
    if (reply.wanted.length > 0) this.parts.testbeds.wanted(arch, reply.wanted);
    if (reply.ask === ask && this.awaited === ask && !this.stopping) {
      this.granted = reply.lease;
      return reply;
    }
    if (reply.lease && !sameAttempt(reply.lease, this.granted))
      this.giveBack(reply.lease, 'the slot did not wait for this lease');
    return null;
  }

  /** True when the lease went back already: its grant was answered twice, and the other answer came too late. */
  private async wasGivenBack(lease: Lease): Promise<boolean> {
    return (await this.givingBack.get(key(lease))) ?? false;
  }

  private giveBack(lease: Lease, reason: string): void {
    const { identity, parts } = this;
    parts.log.warn(`run ${lease.runId} attempt ${lease.attempt} goes back: ${reason}`);
    const confirmed = giveBack(identity, lease, reason, parts.settings.replyTimeoutMs, parts).then((is) => {
      if (!is) this.givingBack.delete(key(lease));
      return is;
    });
    this.givingBack.set(key(lease), confirmed);
  }

  private async execute(lease: Lease): Promise<HoldingEnd> {
    this.givingBack.clear();
    const held = (this.held = new HeldLease(this.identity, lease, this.parts));
    if (this.stopping) await held.handBackAndEnd('the worker stops');
    const end = await withLogFields({ run: lease.runId, attempt: lease.attempt }, () => held.execute());
    this.held = null;
    this.granted = null;
    return end;
  }

  /** Between 80 % and 120 %, so that idle slots do not ask all at once. */
  private withJitter(ms: number): number {
    return ms * (0.8 + 0.4 * this.parts.random());
  }
}

function sameAttempt(lease: Lease, other: Lease | null): boolean {
  return other !== null && key(lease) === key(other);
}

function key({ runId, attempt }: Lease): string {
  return `${runId}/${attempt}`;
}
