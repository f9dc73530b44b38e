import { Inject, Injectable, Logger } from '@nestjs/common';
import { BusStrategy } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import type { ReportOrigin } from '@proctor/contracts';
import type { MessageKind, MessageOf, Replies } from '@proctor/dispatch';
import { CLOCK } from '../configuration.token';
import type { OwnedService } from '../ownership/owned-service';
import type { OwnershipTerm } from '../ownership/ownership-term';
import { ReportBacklog } from './report-backlog';
import { ReportStreams } from './report-streams';
import type { ActorSettings, DispatcherFigures } from './actor-ports';
import type { DispatcherActor } from './dispatcher-actor';
import { NotOwner } from './not-handled';

/** Receives the subjects of an architecture while this process owns it. BusStrategy implements it. */
interface ServedArchitectures {
  serve(arch: string): Promise<void> | void;
  /**
   * Ends the service of an architecture. After the call nothing new is handled, and the architecture may be served
   * again. Resolves when all handlers in progress have ended.
   */
  withdraw(arch: string): Promise<void> | void;
  /** See Bus.listWaitingReports. */
  listWaitingReports(arch: string): Promise<ReportOrigin[]>;
  /** See Bus.prepareReports. */
  prepareReports(arch: string, workers: readonly string[]): Promise<void>;
}

/** Injection token of a function that creates the actor of a term. */
export const CREATE_ACTOR = Symbol('make actor');

/** The dispatchers of the architectures that this process owns. */
@Injectable()
export class Dispatchers implements OwnedService {
  private readonly logger = new Logger('Dispatchers');
  private readonly owned = new Map<
    string,
    { term: OwnershipTerm; actor: DispatcherActor; streams: ReportStreams; backlog: ReportBacklog }
  >();

  constructor(
    @Inject(BusStrategy) private readonly serving: ServedArchitectures,
    @Inject(CREATE_ACTOR) private readonly createActor: (term: OwnershipTerm) => DispatcherActor,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Rejects with NotOwner when this process does not own the architecture; otherwise see DispatcherActor.request. */
  request<K extends MessageKind>(arch: string, message: MessageOf<K>): Promise<Replies[K]> {
    return this.owned.get(arch)?.actor.request<K>(message) ?? Promise.reject(new NotOwner(arch));
  }

  readArrivalsSoon(arch: string): void {
    this.owned.get(arch)?.actor.readArrivalsSoon();
  }

  readOrdersSoon(arch: string): void {
    this.owned.get(arch)?.actor.readOrdersSoon();
  }

  /** Owned architecture → its figures; null while its runs are being loaded. */
  figures(): Map<string, DispatcherFigures | null> {
    return new Map([...this.owned].map(([arch, { actor }]) => [arch, actor.figures()]));
  }

  /** Every dispatcher uses these settings from its next turn on. */
  reconfigure(settings: ActorSettings): void {
    for (const { actor } of this.owned.values()) actor.reconfigure(settings);
  }

  /** The register was read: these workers may report to the architecture. */
  onWorkersRegistered(arch: string, workers: string[]): void {
    this.owned.get(arch)?.streams.setWorkers(workers);
  }

  onReachable(): void {
    for (const { actor } of this.owned.values()) actor.onReachable();
  }

  /** Work of an abandoned term may still be in progress. Its epoch is over, so this does not wait for it. */
  async start(term: OwnershipTerm): Promise<void> {
    if (!term.holds()) return;
    const actor = this.createActor(term);
    const streams = new ReportStreams(term.arch, this.serving, this.clock);
    const backlog = new ReportBacklog(term.arch, this.serving, this.clock);
    this.owned.set(term.arch, { term, actor, streams, backlog });
    await this.serving.serve(term.arch);
    void streams.follow();
    void backlog.follow((attempts) => actor.setReportsWaiting(attempts));
  }

  /** Rejects when something could not be stopped in order; the architecture is not served then either. */
  async stop(term: OwnershipTerm): Promise<void> {
    await this.serving.withdraw(term.arch);
    await this.remove(term)?.stop();
  }

  abandon(term: OwnershipTerm): void {
    const actor = this.remove(term);
    if (!actor) return;
    // Both have their effect at once; they resolve when the work in progress has ended.
    void actor.stop();
    Promise.resolve(this.serving.withdraw(term.arch)).catch((error) =>
      this.logger.warn(`${term.arch} was not withdrawn in order: ${String(error)}`),
    );
  }

  private remove(term: OwnershipTerm): DispatcherActor | undefined {
    const owned = this.owned.get(term.arch);
    if (owned?.term !== term) return undefined;
    this.owned.delete(term.arch);
    owned.streams.stop();
    owned.backlog.stop();
    return owned.actor;
  }
}
