import { Inject, Injectable, Logger } from '@nestjs/common';
import { BusStrategy } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import type { ReportOrigin } from '@proctor/contracts';
import type { MessageKind, MessageOf, Replies } from '@proctor/dispatch';
import { CLOCK } from '../configuration.token';
import type { Realm } from '../ownership/realm';
import type { Tenure } from '../ownership/tenure';
import { ReportBacklog } from './report-backlog';
import { ReportStreams } from './report-streams';
import type { ActorSettings, DispatcherActor } from './dispatcher-actor';
import { NotOwner } from './not-handled';

/** The subjects of an architecture, listened to only while it is owned. BusStrategy is one. */
export interface ServedArchitectures {
  serve(arch: string): Promise<void> | void;
  /** Nothing new is handled from the call on, and it may be served again; resolves when all in progress is done. */
  withdraw(arch: string): Promise<void> | void;
  /** See Bus.reportsWaiting. */
  reportsWaiting(arch: string): Promise<ReportOrigin[]>;
  /** See Bus.prepareReports. */
  prepareReports(arch: string, workers: readonly string[]): Promise<void>;
}

interface Reign {
  tenure: Tenure;
  actor: DispatcherActor;
  streams: ReportStreams;
  backlog: ReportBacklog;
}

/** Where a function is injected that makes the actor of a tenure. */
export const MAKE_ACTOR = Symbol('make actor');

/** The dispatchers of the architectures that this process owns. */
@Injectable()
export class Dispatchers implements Realm {
  private readonly logger = new Logger('Dispatchers');
  private readonly reigns = new Map<string, Reign>();

  constructor(
    @Inject(BusStrategy) private readonly serving: ServedArchitectures,
    @Inject(MAKE_ACTOR) private readonly makeActor: (tenure: Tenure) => DispatcherActor,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Rejects with NotOwner when this process does not own the architecture, else as DispatcherActor.ask. */
  ask<K extends MessageKind>(arch: string, message: MessageOf<K>): Promise<Replies[K]> {
    return this.reigns.get(arch)?.actor.ask<K>(message) ?? Promise.reject(new NotOwner(arch));
  }

  lookForArrivals(arch: string): void {
    this.reigns.get(arch)?.actor.lookForArrivals();
  }

  lookForOrders(arch: string): void {
    this.reigns.get(arch)?.actor.lookForOrders();
  }

  /** Every dispatcher goes by these from its next turn on. */
  reconfigure(settings: ActorSettings): void {
    for (const { actor } of this.reigns.values()) actor.reconfigure(settings);
  }

  /** The register was read: these workers may report to the architecture. */
  workersRegistered(arch: string, workers: string[]): void {
    this.reigns.get(arch)?.streams.expect(workers);
  }

  heardAgain(): void {
    for (const { actor } of this.reigns.values()) actor.heardAgain();
  }

  /** What was abandoned before may still be on its way: its epoch is over, so nobody waits for it. */
  async begin(tenure: Tenure): Promise<void> {
    if (!tenure.holds()) return;
    const actor = this.makeActor(tenure);
    const streams = new ReportStreams(tenure.arch, this.serving, this.clock);
    const backlog = new ReportBacklog(tenure.arch, this.serving, this.clock);
    this.reigns.set(tenure.arch, { tenure, actor, streams, backlog });
    await this.serving.serve(tenure.arch);
    void streams.follow();
    void backlog.follow((attempts) => actor.setReportsWaiting(attempts));
  }

  /** Rejects when something could not be ended in order; the architecture is not served any more then either. */
  async end(tenure: Tenure): Promise<void> {
    await this.serving.withdraw(tenure.arch);
    await this.remove(tenure)?.stop();
  }

  abandon(tenure: Tenure): void {
    const actor = this.remove(tenure);
    if (!actor) return;
    // Both have their effect at once; what they resolve with is what was on its way then.
    void actor.stop();
    Promise.resolve(this.serving.withdraw(tenure.arch)).catch((error) =>
      this.logger.warn(`${tenure.arch} was not withdrawn in order: ${String(error)}`),
    );
  }

  private remove(tenure: Tenure): DispatcherActor | undefined {
    const reign = this.reigns.get(tenure.arch);
    if (reign?.tenure !== tenure) return undefined;
    this.reigns.delete(tenure.arch);
    reign.streams.stop();
    reign.backlog.stop();
    return reign.actor;
  }
}
