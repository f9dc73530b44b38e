import { WakeUp } from '@proctor/clock';
import type { Lease, LeaseReply, SlotIdentity, StopAttemptSignal } from '@proctor/contracts';
import { growingPauseMs, scattered } from '@proctor/pauses';
import { withLogFields } from '@proctor/process';
import { Asks } from './asks';
import { Canaries } from './canaries';
import { HeldLease, type HoldingEnd } from './held-lease';
import type { SlotParts } from './slot-parts';

/** After so long the slot asks again, however often what it was granted could not be begun. */
const REST_MAX_MS = 60_000;

/**
 * One place for a running attempt. It asks the dispatchers of its architectures in turn, executes what it is granted,
 * and asks again when the result is recorded. A result that is not answered keeps it from asking that architecture, and
 * after a while from nothing else.
 */
export class Slot {
  private readonly wakeUp: WakeUp;
  /** Ends a rest that no signal ends. */
  private readonly rest: WakeUp;
  private readonly asks: Asks;
  private stopping = false;
  private held: HeldLease | null = null;
  /** Leases whose results wait for an answer; one of an architecture at most. */
  private readonly waiting = new Map<string, HeldLease>();
  private readonly canaries: Canaries;
  /** Index of the architecture to ask next: each gets its turn. */
  private next = 0;
  /** Grants in a row that could not be begun here. */
  private failuresInARow = 0;
  private running: Promise<void> | null = null;

  constructor(
    private readonly identity: SlotIdentity,
    private readonly architectures: string[],
    private readonly parts: SlotParts,
  ) {
    this.wakeUp = new WakeUp(parts.clock);
    this.rest = new WakeUp(parts.clock);
    this.canaries = new Canaries(parts);
    this.asks = new Asks(identity, parts, () => this.wakeUp.wake());
  }

  start(): void {
    this.running ??= this.loop();
  }

  /** Work may be waiting: an idle slot asks at once, and one whose ask has no answer yet asks a second time soon. */
  wake(): void {
    this.wakeUp.wake();
    this.asks.askAgainSoon();
  }

  /** Ends the attempt at once, if it is one that is executed here or whose result waits. */
  stopAttempt(signal: StopAttemptSignal): void {
    for (const held of this.listHeld()) held.stop(signal);
  }

  /** Ends what it executes at once: nothing can be told of it. */
  endAttempts(reason: string): void {
    for (const held of this.listHeld()) held.abandon(reason);
  }

  /**
   * Takes nothing more, and resolves when what it executes has ended, and its result is recorded or has waited for that
   * for a while.
   */
  async drain(reason: string): Promise<void> {
    this.stopping = true;
    this.asks.close();
    this.wakeUp.wake();
    this.rest.wake();
    this.canaries.stop(reason);
    await this.running;
    await this.asks.requestLost();
    await this.asks.waitForReturns();
  }

  /**
   * Takes nothing more; hands back what it holds, ends its attempt, and resolves when nothing of it is left. It may be
   * told so while it drains.
   */
  async stop(reason: string): Promise<void> {
    this.stopping = true;
    this.asks.close();
    await Promise.all(this.listHeld().map((held) => held.returnAndStop(reason)));
    await this.drain(reason);
  }

  private async loop(): Promise<void> {
    let inTurn = false;
    while (!this.stopping) {
      this.wakeUp.forget();
      this.asks.open();
      const refused = this.asks.refusedInARow;
      const pauseMs = await this.requestLeases();
      // What went back signals that work is waiting, and would be granted to this slot again. One alone may have come late.
      const inARow = this.asks.refusedInARow;
      const isResting = inARow > refused && inARow > 1 && !this.asks.grant;
      if (isResting && !this.stopping) await this.waitAfterFailures(inARow - 1);
      // Work of which no signal has told this slot: there may be more of it.
      if (this.asks.grant && inTurn) this.parts.turns.wakeNext();
      inTurn = false;
      if (pauseMs !== null && !isResting && !this.asks.grant && !this.stopping)
        inTurn = await this.parts.turns.rest(this.wakeUp, this.scattered(pauseMs));
      // An answer may also have come while it was not awaited.
      if (this.asks.grant) await this.execute(this.asks.grant);
    }
  }

  /** Asks until one architecture has work. Returns the pause to make when none had; null: none. */
  private async requestLeases(): Promise<number | null> {
    const { retryMs } = this.parts.settings;
    let pauseMs = Infinity;
    for (let requests = 0; requests < this.architectures.length && !this.stopping; requests++) {
      const turn = this.next++;
      const arch = this.architectures[turn % this.architectures.length] as string;
      if (this.waiting.has(arch)) continue;
      const reply = await this.requestLease(arch);
      if (this.asks.grant) return null;
      if (reply?.canary && !this.stopping) {
        this.asks.close();
        this.markBusy(arch, false);
        await this.canaries.execute(reply.canary);
        this.parts.busy.remove(this.identity.slot);
        // The dispatcher that wanted it is asked first.
        this.next = turn;
        return null;
      }
      pauseMs = Math.min(pauseMs, reply?.askAgainMs ?? retryMs);
    }
    return Number.isFinite(pauseMs) ? pauseMs : retryMs;
  }

  /**
   * The answer, or null when none came in time or it is not to be used. An answer that was lost may have been a grant: the
   * same architecture is asked once more before another one is, which might grant a second.
   */
  private async requestLease(arch: string): Promise<LeaseReply | null> {
    const canary = this.canaries.resultFor(arch);
    const details = canary ? { canary } : {};
    let reply = await this.asks.requestLease(arch, details);
    const wasLost = !reply && this.asks.lostInARow(arch) === 1 && this.architectures.length > 1;
    if (wasLost && !this.asks.grant && !this.stopping) reply = await this.asks.requestLease(arch, details);
    if (reply) this.canaries.onAnswer(arch);
    return reply;
  }

  private async execute(lease: Lease): Promise<void> {
    const held = (this.held = new HeldLease(this.identity, lease, this.parts));
    if (this.stopping) await held.returnAndStop('the worker stops');
    // Where nothing is said of that it may be private.
    this.markBusy(lease.arch, lease.isPrivate === false);
    void this.asks.settle();
    const ended = withLogFields({ run: lease.runId, attempt: lease.attempt }, () => held.execute());
    const end = await Promise.race([ended, held.waits]);
    this.parts.busy.remove(this.identity.slot);
    if (end === 'waiting') this.keepWaiting(held, lease.arch, ended);
    this.held = null;
    this.asks.onEnd(lease, end === 'not-started');
    this.failuresInARow = end === 'not-started' ? this.failuresInARow + 1 : 0;
    if (this.failuresInARow === 0 || this.stopping) return;
    // Its return wakes this slot as well, which would be granted the same run again.
    await this.waitAfterFailures(this.failuresInARow);
  }

  /** No signal ends it, a stop does. @param inARow grants in a row without an execution */
  private async waitAfterFailures(inARow: number): Promise<void> {
    await this.rest.wait(this.scattered(growingPauseMs(this.parts.settings.retryMs, REST_MAX_MS, inARow)));
  }

  /** Asked, an architecture that awaits its answer to a result would name that lease, which would go back. */
  private markBusy(arch: string, isPublic: boolean): void {
    const others = this.architectures.filter((other) => other !== arch && !this.waiting.has(other));
    const ask = (other: string) => this.asks.requestHeld(other);
    this.parts.busy.add({ number: this.identity.slot, arch, isPublic, others, request: ask });
  }

  /** The slot goes on without this architecture, which counts it as the lease's until it has answered. */
  private keepWaiting(held: HeldLease, arch: string, ended: Promise<HoldingEnd>): void {
    this.waiting.set(arch, held);
    void ended.then(() => {
      this.waiting.delete(arch);
      this.wakeUp.wake();
    });
  }

  private listHeld(): HeldLease[] {
    return [...this.waiting.values(), ...(this.held ? [this.held] : [])];
  }

  /** So that idle slots do not ask all at once. */
  private scattered(ms: number): number {
    return scattered(ms, this.parts.random());
  }
}
