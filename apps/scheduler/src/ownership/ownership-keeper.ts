import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { limited, type Clock } from '@proctor/clock';
import { PostgresOwnershipRegister } from '@proctor/database';
import type { OwnershipRegister } from '@proctor/dispatch';
import { CLOCK } from '../configuration.token';
import { Realms, type Realm } from './realm';
import { shareOf } from './shares';
import { Tenure } from './tenure';

/** Where OwnershipSettings are injected. */
export const OWNERSHIP_SETTINGS = Symbol('ownership settings');

export interface OwnershipSettings {
  /** Id of this process, chosen anew at each start. */
  scheduler: string;
  /** Read anew at each round. */
  readonly architectures: string[];
  ownershipTtlMs: number;
  /** Whether the workers can reach this process: it is connected to NATS. */
  isConnected: () => boolean;
}

/** How often ownership is renewed in each time-to-live. */
const RENEWALS_PER_TTL = 3;
/** The part of the time-to-live by which the owner's own clock may be wrong. */
const MARGIN_PER_TTL = 1 / 5;

/** Keeps this process's part of the architectures owned, for as long as it lives. */
@Injectable()
export class OwnershipKeeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Ownership');
  private readonly tenures = new Map<string, Tenure>();
  /** Architectures that are being given up: neither renewed nor claimed until that is done. */
  private readonly parting = new Map<string, Promise<void>>();
  /** The round in progress in which architectures are spread, if there is one. */
  private spreading: Promise<void> | null = null;
  /** Since when the workers cannot reach this process; null while they can. */
  private cutOffSinceMs: number | null = null;
  private cancelNext = (): void => undefined;
  private stopped = false;

  constructor(
    @Inject(PostgresOwnershipRegister) private readonly register: OwnershipRegister,
    @Inject(Realms) private readonly realm: Realm,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OWNERSHIP_SETTINGS) private readonly settings: OwnershipSettings,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return this.start();
  }

  /** Never rejects: what cannot be given up runs out. */
  async onModuleDestroy(): Promise<void> {
    await this.stop().catch((error: unknown) => {
      this.logger.warn(`ownership could not be given up, it will run out: ${String(error)}`);
    });
  }

  /** Resolves after the first round of claims. */
  async start(): Promise<void> {
    const everyMs = this.settings.ownershipTtlMs / RENEWALS_PER_TTL;
    // Whatever becomes of this round: one that hangs must not keep the next from renewing.
    this.cancelNext = this.clock.after(everyMs, () => void this.start());
    for (const arch of this.tenures.keys()) void this.attempt(arch, () => this.claim(arch));
    this.spreading ??= this.attempt('ownership', () => this.spread()).finally(() => (this.spreading = null));
    await this.spreading;
  }

  /** Ends all that is served and gives it up, so that another scheduler can go on at once. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelNext();
    await this.spreading;
    for (const tenure of this.tenures.values()) this.handOver(tenure);
    await Promise.all(this.parting.values());
    await this.inTime('withdrawing', this.register.withdraw(this.settings.scheduler));
  }

  private async spread(): Promise<void> {
    const { scheduler, architectures } = this.settings;
    const living = await this.living();
    if (living.length > 0 && !living.includes(scheduler)) return this.leaveToOthers();
    const share = shareOf(scheduler, living, architectures, new Set(this.tenures.keys()));
    for (const arch of share.release) this.handOver(this.tenures.get(arch));
    for (const arch of share.claim) {
      if (this.tenures.size >= share.architecturesMax || this.stopped) return;
      if (!this.parting.has(arch)) await this.attempt(arch, () => this.claim(arch));
    }
  }

  /** Those that are to share the architectures; itself is not one of them once it was cut off for a time-to-live. */
  private living(): Promise<string[]> {
    const { scheduler, ownershipTtlMs } = this.settings;
    return this.cutOffMs() < ownershipTtlMs
      ? this.inTime('announcing', this.register.announce(scheduler, ownershipTtlMs))
      : this.inTime('stepping aside', this.register.stepAside(scheduler, ownershipTtlMs));
  }

  private cutOffMs(): number {
    const now = this.clock.now();
    if (this.settings.isConnected()) this.cutOffSinceMs = null;
    else this.cutOffSinceMs ??= now;
    return this.cutOffSinceMs === null ? 0 : now - this.cutOffSinceMs;
  }

  /** Not before others that are cut off, too, have stepped aside: while NATS is away from all, all go on as they are. */
  private leaveToOthers(): void {
    if (this.cutOffMs() < 2 * this.settings.ownershipTtlMs) return;
    for (const tenure of this.tenures.values()) this.handOver(tenure);
  }

  private async claim(arch: string): Promise<void> {
    const { scheduler, ownershipTtlMs } = this.settings;
    const endMs = this.clock.now() + this.tenureMs;
    const ownership = await this.inTime('claiming', this.register.claim(arch, scheduler, ownershipTtlMs));
    const held = this.tenures.get(arch);
    if (held && held.epoch === ownership?.epoch) return held.prolongTo(endMs);
    held?.giveUp('another scheduler owned it meanwhile');
    if (!ownership || this.parting.has(arch)) return;
    const tenure = new Tenure(ownership, this.clock, (ended, reason) => this.lost(ended, reason));
    tenure.extendTo(endMs);
    this.tenures.set(arch, tenure);
    this.logger.log(`owns ${arch}, epoch ${tenure.epoch}`);
    this.realm.begin(tenure).catch((error) => tenure.giveUp(`it could not be served: ${String(error)}`));
  }

  private async attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.warn(`${what} could not be renewed: ${String(error)}`);
    }
  }

  /** For how long an owner believes in a claim. */
  private get tenureMs(): number {
    return this.settings.ownershipTtlMs * (1 - MARGIN_PER_TTL);
  }

  /** What takes longer is of no use any more. @throws TimedOut */
  private inTime<T>(what: string, work: Promise<T>): Promise<T> {
    return limited(work, what, this.tenureMs, this.clock);
  }

  private lost(tenure: Tenure, reason: string): void {
    this.logger.warn(`owns ${tenure.arch} no more (epoch ${tenure.epoch}): ${reason}`);
    this.realm.abandon(tenure);
    this.part(tenure, Promise.resolve());
  }

  private handOver(tenure: Tenure | undefined): void {
    if (tenure) this.part(tenure, this.realm.end(tenure));
  }

  /** The row is given up last: whoever claims it then may serve at once. */
  private part(tenure: Tenure, ended: Promise<void>): void {
    const { arch, epoch } = tenure;
    if (this.tenures.get(arch) === tenure) this.tenures.delete(arch);
    const parted = this.inTime(`ending ${arch}`, ended)
      .then(() => this.inTime('releasing', this.register.release(arch, this.settings.scheduler)))
      .then(() => this.logger.log(`gave up ${arch}, epoch ${epoch}`))
      .catch((error) => this.logger.warn(`${arch} could not be given up, it will run out: ${String(error)}`))
      .finally(() => {
        tenure.close();
        if (this.parting.get(arch) === parted) this.parting.delete(arch);
      });
    this.parting.set(arch, parted);
  }
}
