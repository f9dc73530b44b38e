import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { withTimeLimit, type Clock } from '@proctor/clock';
import { PostgresOwnershipRegister } from '@proctor/database';
import type { Ownership, OwnershipRegister } from '@proctor/dispatch';
import { CLOCK } from '../configuration.token';
import { OwnedServices, type OwnedService } from './owned-service';
import { shareOf } from './shares';
import { OwnershipTerm } from './ownership-term';

/** Injection token of the OwnershipSettings. */
export const OWNERSHIP_SETTINGS = Symbol('ownership settings');

export interface OwnershipSettings {
  /** Id of this process, new at each start. */
  scheduler: string;
  /** Read at each round, because it may change. */
  readonly architectures: string[];
  ownershipTtlMs: number;
  /** Whether workers can reach this process, that is whether it is connected to NATS. */
  isConnected: () => boolean;
  /** Signals the other schedulers that an architecture may be claimed. */
  notifyReleased: () => void;
}

/** How often ownership is renewed in each time-to-live. */
const RENEWALS_PER_TTL = 3;
/** The possible error of the owner's own clock, as a part of the time-to-live. */
const MARGIN_PER_TTL = 1 / 5;

/** Claims this process's share of the architectures and renews the ownership. */
@Injectable()
export class OwnershipKeeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Ownership');
  private readonly terms = new Map<string, OwnershipTerm>();
  /** Architectures that are being released: neither renewed nor claimed until that is done. */
  private readonly parting = new Map<string, Promise<void>>();
  /** Renewals without an answer yet. */
  private readonly renewing = new Set<Promise<void>>();
  /** The round of claims in progress, if any. */
  private spreading: Promise<void> | null = null;
  /** Since when the workers cannot reach this process; null while they can. */
  private cutOffSinceMs: number | null = null;
  /** When the register last answered. */
  private answeredMs = -Infinity;
  private cancelNext = (): void => undefined;
  private stopped = false;

  constructor(
    @Inject(PostgresOwnershipRegister) private readonly register: OwnershipRegister,
    @Inject(OwnedServices) private readonly service: OwnedService,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OWNERSHIP_SETTINGS) private readonly settings: OwnershipSettings,
  ) {}

  /** Why nothing can be owned; null: the register answers in time. */
  get trouble(): string | null {
    if (this.clock.now() - this.answeredMs < this.settings.ownershipTtlMs) return null;
    return 'it does not answer in time';
  }

  onApplicationBootstrap(): Promise<void> {
    return this.start();
  }

  /** Never rejects: ownership that cannot be released expires. */
  async onModuleDestroy(): Promise<void> {
    await this.stop().catch((error: unknown) => {
      this.logger.warn(`ownership could not be given up, it will run out: ${String(error)}`);
    });
  }

  /** Another scheduler has released an architecture: claim our share at once. */
  onReleased(): void {
    // The round in progress may have read the register before the release.
    if (!this.stopped) void Promise.resolve(this.spreading).then(() => this.spreadSoon());
  }

  /** Resolves after the first round of claims. */
  async start(): Promise<void> {
    const everyMs = this.settings.ownershipTtlMs / RENEWALS_PER_TTL;
    // The next round is scheduled first, so that a round that hangs does not delay it.
    this.cancelNext = this.clock.after(everyMs, () => void this.start());
    for (const arch of this.terms.keys()) {
      const renewal = this.attempt(arch, () => this.claim(arch)).finally(() => this.renewing.delete(renewal));
      this.renewing.add(renewal);
    }
    await this.spreadSoon();
  }

  /** Stops all services and releases all architectures, so that another scheduler can continue at once. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelNext();
    // Ownership that is claimed later would last until it expires.
    await Promise.all([this.spreading, ...this.renewing]);
    const { scheduler, ownershipTtlMs } = this.settings;
    // From now on the other schedulers share the released architectures.
    await this.attempt('stepping aside', async () => {
      await this.inTime('stepping aside', this.register.stepAside(scheduler, ownershipTtlMs));
    });
    for (const term of this.terms.values()) this.release(term);
    await Promise.all(this.parting.values());
    await this.inTime('withdrawing', this.register.withdraw(scheduler));
    this.settings.notifyReleased();
  }

  private spreadSoon(): Promise<void> {
    this.spreading ??= this.attempt('ownership', () => this.spread()).finally(() => (this.spreading = null));
    return this.spreading;
  }

  private async spread(): Promise<void> {
    if (this.stopped) return;
    const { scheduler, architectures } = this.settings;
    const living = await this.living();
    this.answeredMs = this.clock.now();
    if (living.length > 0 && !living.includes(scheduler)) return this.leaveToOthers();
    const share = shareOf(scheduler, living, architectures, new Set(this.terms.keys()));
    for (const arch of share.release) this.release(this.terms.get(arch));
    for (const arch of share.claim) {
      if (this.terms.size >= share.architecturesMax || this.stopped) return;
      if (!this.parting.has(arch)) await this.attempt(arch, () => this.claim(arch));
    }
  }

  /**
   * The schedulers that share the architectures. This one is not among them after a time-to-live without connection.
   */
  private living(): Promise<string[]> {
    const { scheduler, ownershipTtlMs } = this.settings;
    return this.cutOffMs() < ownershipTtlMs
      ? this.inTime('announcing', this.register.reportAlive(scheduler, ownershipTtlMs))
      : this.inTime('stepping aside', this.register.stepAside(scheduler, ownershipTtlMs));
  }

  private cutOffMs(): number {
    const now = this.clock.now();
    if (this.settings.isConnected()) this.cutOffSinceMs = null;
    else this.cutOffSinceMs ??= now;
    return this.cutOffSinceMs === null ? 0 : now - this.cutOffSinceMs;
  }

  /**
   * Releases all architectures if this scheduler has been cut off from NATS for twice the time of an ownership. It waits
   * so long because others may be cut off too: nothing changes while none of them can reach NATS.
   */
  private leaveToOthers(): void {
    if (this.cutOffMs() < 2 * this.settings.ownershipTtlMs) return;
    for (const term of this.terms.values()) this.release(term);
  }

  private async claim(arch: string): Promise<void> {
    const { scheduler, ownershipTtlMs } = this.settings;
    const endMs = this.clock.now() + this.termMs;
    const ownership = await this.inTime('claiming', this.register.claim(arch, scheduler, ownershipTtlMs));
    const previous = this.terms.get(arch);
    if (previous && previous.epoch === ownership?.epoch) return previous.renewUntil(endMs);
    previous?.abandon('another scheduler owned it meanwhile');
    if (!ownership) return;
    // While the answer was on its way, the architecture may have been released or removed from the deployment, or
    // this process stopped.
    const parted = this.parting.get(arch);
    if (parted || this.stopped || !this.settings.architectures.includes(arch))
      return void this.endOwnership(ownership, parted);
    const term = new OwnershipTerm(ownership, this.clock, (lostTerm, reason) =>
      this.onLost(lostTerm, reason),
    );
    term.setEnd(endMs);
    this.terms.set(arch, term);
    this.logger.log(`owns ${arch}, epoch ${term.epoch}`);
    this.service.start(term).catch((error) => term.abandon(`it could not be served: ${String(error)}`));
  }

  private async attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.warn(`${what} could not be renewed: ${String(error)}`);
    }
  }

  /** How long an owner relies on a claim. */
  private get termMs(): number {
    return this.settings.ownershipTtlMs * (1 - MARGIN_PER_TTL);
  }

  /** Limits the time of a call, because a later result is useless. @throws TimedOut when the call takes longer */
  private inTime<T>(what: string, work: Promise<T>): Promise<T> {
    return withTimeLimit(work, what, this.termMs, this.clock);
  }

  private onLost(term: OwnershipTerm, reason: string): void {
    this.logger.warn(`no longer owns ${term.arch} (epoch ${term.epoch}): ${reason}`);
    this.service.abandon(term);
    this.endTerm(term, Promise.resolve());
  }

  private release(term: OwnershipTerm | undefined): void {
    if (term) this.endTerm(term, this.service.stop(term));
  }

  private endTerm(term: OwnershipTerm, end: Promise<void>): void {
    if (this.terms.get(term.arch) === term) this.terms.delete(term.arch);
    void this.endOwnership(term, end).finally(() => term.close());
  }

  /** The row is released last: the next owner may serve at once. Never rejects. */
  private endOwnership({ arch, epoch }: Ownership, end: Promise<void> = Promise.resolve()): Promise<void> {
    const parted = this.inTime(`ending ${arch}`, end)
      .then(() => this.inTime('releasing', this.register.release(arch, this.settings.scheduler)))
      .then(() => {
        this.logger.log(`gave up ${arch}, epoch ${epoch}`);
        this.settings.notifyReleased();
      })
      .catch((error) => this.logger.warn(`${arch} could not be given up, it will run out: ${String(error)}`))
      .finally(() => {
        if (this.parting.get(arch) === parted) this.parting.delete(arch);
      });
    this.parting.set(arch, parted);
    return parted;
  }
}
