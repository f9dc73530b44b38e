import { WakeUp } from '@proctor/clock';
import type { Lease, LeaseReply, SlotIdentity, StopAttemptSignal } from '@proctor/contracts';
import { growingPauseMs, scatterPause } from '@proctor/pauses';
import { withLogFields } from '@proctor/process';
import { LeaseRequests } from './lease-requests';
import { Canaries } from './canaries';
import { HeldLease, type HoldingEnd } from './held-lease';
import type { SlotParts } from './slot-parts';

/** The longest pause, however often grants could not be started. */
const REST_MAX_MS = 60_000;

/**
 * One place for a running attempt. It requests work from the dispatchers of its architectures in turn, executes what it
 * is granted, and asks again when the result is recorded. While a result is not answered, the slot does not ask that
 * architecture; after a while it asks the others.
 */
export class Slot {
  private readonly wakeUp: WakeUp;
  /** Ends the pauses that no signal ends. */
  private readonly rest: WakeUp;
  private readonly leaseRequests: LeaseRequests;
  private stopping = false;
  private heldLease: HeldLease | null = null;
  /** Architecture → the lease whose result waits for an answer. */
  private readonly waiting = new Map<string, HeldLease>();
  private readonly canaries: Canaries;
  /** Index of the next architecture: each gets its turn. */
  private next = 0;
  /** Grants in a row that could not be started here. */
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
    this.leaseRequests = new LeaseRequests(identity, parts, () => this.wakeUp.wake());
  }

  start(): void {
    this.running ??= this.loop();
  }

  /** Work may be waiting: an idle slot asks at once, and a request without an answer is sent a second time soon. */
  wake(): void {
    this.wakeUp.wake();
    this.leaseRequests.repeatSoon();
  }

  /** Ends the attempt at once, if it is executed here or its result waits. */
  stopAttempt(signal: StopAttemptSignal): void {
    for (const heldLease of this.listHeld()) heldLease.stop(signal);
  }

  /** Ends what it executes at once: nothing can be reported. */
  endAttempts(reason: string): void {
    for (const heldLease of this.listHeld()) heldLease.abandon(reason);
  }

  /**
   * Stops accepting leases. Resolves when the running attempt has ended, and its result is recorded or has waited for a
   * while.
   */
  async drain(reason: string): Promise<void> {
    this.stopping = true;
    this.leaseRequests.close();
    this.wakeUp.wake();
    this.rest.wake();
    this.canaries.stop(reason);
    await this.running;
    await this.leaseRequests.requestLost();
    await this.leaseRequests.waitForReturns();
  }

  /**
   * Accepts nothing more; returns its leases, ends the attempts, and resolves when nothing of them is left. May be
   * called while it drains.
   */
  async stop(reason: string): Promise<void> {
    this.stopping = true;
    this.leaseRequests.close();
    await Promise.all(this.listHeld().map((heldLease) => heldLease.returnAndStop(reason)));
    await this.drain(reason);
  }

  private async loop(): Promise<void> {
    let inTurn = false;
    while (!this.stopping) {
      this.wakeUp.reset();
      this.leaseRequests.open();
      const refusals = this.leaseRequests.refusedInARow;
      const pauseMs = await this.requestLeases();
      // A returned lease signals that work is waiting, and would be granted to this slot again. A single one may only
      // have come late.
      const inARow = this.leaseRequests.refusedInARow;
      const isResting = inARow > refusals && inARow > 1 && !this.leaseRequests.grant;
      if (isResting && !this.stopping) await this.waitAfterFailures(inARow - 1);
      // Work without a signal: there may be more of it.
      if (this.leaseRequests.grant && inTurn) this.parts.turns.wakeNext();
      inTurn = false;
      if (pauseMs !== null && !isResting && !this.leaseRequests.grant && !this.stopping)
        inTurn = await this.parts.turns.rest(this.wakeUp, this.scatterMs(pauseMs));
      // An answer may also have come while the slot did not wait.
      if (this.leaseRequests.grant) await this.execute(this.leaseRequests.grant);
    }
  }

  /** Requests leases until one architecture has work. @returns the pause to make, milliseconds; null for none */
  private async requestLeases(): Promise<number | null> {
    const { retryMs } = this.parts.settings;
    let pauseMs = Infinity;
    for (let requests = 0; requests < this.architectures.length && !this.stopping; requests++) {
      const turn = this.next++;
      const arch = this.architectures[turn % this.architectures.length] as string;
      if (this.waiting.has(arch)) continue;
      const reply = await this.requestLease(arch);
      if (this.leaseRequests.grant) return null;
      if (reply?.canary && !this.stopping) {
        this.leaseRequests.close();
        this.markBusy(arch, false);
        await this.canaries.execute(reply.canary);
        this.parts.busy.remove(this.identity.slot);
        // The dispatcher of the canary test is asked first.
        this.next = turn;
        return null;
      }
      pauseMs = Math.min(pauseMs, reply?.askAgainMs ?? retryMs);
    }
    return Number.isFinite(pauseMs) ? pauseMs : retryMs;
  }

  /**
   * The answer, or null when none came in time or it cannot be used. A lost answer may have been a grant: the same
   * architecture is asked once more before another one, which might grant a second.
   */
  private async requestLease(arch: string): Promise<LeaseReply | null> {
    const canary = this.canaries.resultFor(arch);
    const details = canary ? { canary } : {};
    let reply = await this.leaseRequests.requestLease(arch, details);
    const wasLost = !reply && this.leaseRequests.lostInARow(arch) === 1 && this.architectures.length > 1;
    if (wasLost && !this.leaseRequests.grant && !this.stopping)
      reply = await this.leaseRequests.requestLease(arch, details);
    if (reply) this.canaries.onAnswer(arch);
    return reply;
  }

  private async execute(lease: Lease): Promise<void> {
    const heldLease = (this.heldLease = new HeldLease(this.identity, lease, this.parts));
    if (this.stopping) await heldLease.returnAndStop('the worker stops');
    // If the lease does not say so, it may be private.
    this.markBusy(lease.arch, lease.isPrivate === false);
    void this.leaseRequests.settle();
    const ending = withLogFields({ run: lease.runId, attempt: lease.attempt }, () => heldLease.execute());
    const end = await Promise.race([ending, heldLease.waits]);
    this.parts.busy.remove(this.identity.slot);
    if (end === 'waiting') this.waitAside(heldLease, lease.arch, ending);
    this.heldLease = null;
    this.leaseRequests.onEnd(lease, end === 'not-started');
    this.failuresInARow = end === 'not-started' ? this.failuresInARow + 1 : 0;
    if (this.failuresInARow === 0 || this.stopping) return;
    // Its return also wakes this slot, which would be granted the same run again.
    await this.waitAfterFailures(this.failuresInARow);
  }

  /** A pause that no signal ends; a stop does. @param inARow grants in a row without an execution */
  private async waitAfterFailures(inARow: number): Promise<void> {
    await this.rest.wait(this.scatterMs(growingPauseMs(this.parts.settings.retryMs, REST_MAX_MS, inARow)));
  }

  /**
   * Leaves out the architectures whose answer to a result is awaited: a request to them would name that lease, and it
   * would be returned.
   */
  private markBusy(arch: string, isPublic: boolean): void {
    const others = this.architectures.filter((other) => other !== arch && !this.waiting.has(other));
    const requestHeld = (other: string) => this.leaseRequests.requestHeld(other);
    this.parts.busy.add({ number: this.identity.slot, arch, isPublic, others, request: requestHeld });
  }

  /** The slot continues without this architecture, which counts the slot as busy until it has answered. */
  private waitAside(heldLease: HeldLease, arch: string, ending: Promise<HoldingEnd>): void {
    this.waiting.set(arch, heldLease);
    void ending.then(() => {
      this.waiting.delete(arch);
      this.wakeUp.wake();
    });
  }

  private listHeld(): HeldLease[] {
    return [...this.waiting.values(), ...(this.heldLease ? [this.heldLease] : [])];
  }

  /** Random, so that idle slots do not all ask at once. */
  private scatterMs(ms: number): number {
    return scatterPause(ms, this.parts.random());
  }
}
