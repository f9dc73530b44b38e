import { Logger } from '@nestjs/common';
import type { MessageKind, MessageOf, Replies } from '@proctor/dispatch';
import type { Realm } from '../ownership/realm';
import type { Tenure } from '../ownership/tenure';
import type { ActorSettings, DispatcherActor } from './dispatcher-actor';
import { NotOwner } from './turn';

/** The subjects of an architecture, listened to only while it is owned. BusStrategy is one. */
export interface Serving {
  serve(arch: string): Promise<void> | void;
  withdraw(arch: string): Promise<void> | void;
  /** Resolves once the reports that waited when `serve` was called have been handled. */
  drained(arch: string): Promise<void>;
}

interface Reign {
  tenure: Tenure;
  actor: DispatcherActor;
}

/** The dispatchers of the architectures that this process owns. */
export class Dispatchers implements Realm {
  private readonly logger = new Logger('Dispatchers');
  private readonly reigns = new Map<string, Reign>();
  /** The latest end of each architecture: a new beginning waits for it. */
  private readonly endings = new Map<string, Promise<void>>();

  constructor(
    private readonly serving: Serving,
    private readonly makeActor: (tenure: Tenure) => DispatcherActor,
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

  heardAgain(): void {
    for (const { actor } of this.reigns.values()) actor.heardAgain();
  }

  async begin(tenure: Tenure): Promise<void> {
    await this.endings.get(tenure.arch);
    if (!tenure.holds()) return;
    const actor = this.makeActor(tenure);
    this.reigns.set(tenure.arch, { tenure, actor });
    const served = this.serving.serve(tenure.arch);
    this.serving.drained(tenure.arch).then(
      () => actor.setReportsDrained(),
      (error) => this.logger.warn(`${tenure.arch}: waiting reports could not be drained: ${String(error)}`),
    );
    await served;
  }

  end(tenure: Tenure): Promise<void> {
    return this.finish(tenure.arch, async () => {
      await this.serving.withdraw(tenure.arch);
      await this.remove(tenure)?.stop();
    });
  }

  abandon(tenure: Tenure): void {
    const stopped = this.remove(tenure)?.stop();
    if (!stopped) return;
    void this.finish(tenure.arch, async () => {
      await this.serving.withdraw(tenure.arch);
      await stopped;
    });
  }

  private remove(tenure: Tenure): DispatcherActor | undefined {
    const reign = this.reigns.get(tenure.arch);
    if (reign?.tenure !== tenure) return undefined;
    this.reigns.delete(tenure.arch);
    return reign.actor;
  }

  private finish(arch: string, action: () => Promise<void>): Promise<void> {
    const before = this.endings.get(arch) ?? Promise.resolve();
    const ending = before
      .then(action)
      .catch((error) => this.logger.warn(`${arch} was not withdrawn in order: ${String(error)}`));
    this.endings.set(arch, ending);
    return ending;
  }
}
