import { Inject, Injectable } from '@nestjs/common';
import { Bus } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import { Facts } from '@proctor/database';
import { CLOCK } from '../configuration.token';
import type { Realm } from '../ownership/realm';
import type { Tenure } from '../ownership/tenure';
import {
  FactPublisher,
  PUBLISHER_SETTINGS,
  type PublisherPorts,
  type PublisherSettings,
} from './fact-publisher';

/** The publishers of the architectures that this process owns. */
@Injectable()
export class FactPublishers implements Realm {
  private readonly publishers = new Map<Tenure, FactPublisher>();

  constructor(
    @Inject(Facts) private readonly facts: PublisherPorts['facts'],
    @Inject(Bus) private readonly bus: PublisherPorts['bus'],
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUBLISHER_SETTINGS) private readonly settings: () => PublisherSettings,
  ) {}

  /** Facts of the architecture were committed. */
  look(arch: string): void {
    for (const [tenure, publisher] of this.publishers) if (tenure.arch === arch) publisher.look();
  }

  begin(tenure: Tenure): Promise<void> {
    const { facts, bus, clock } = this;
    this.publishers.set(tenure, new FactPublisher(tenure, { facts, bus, clock }, this.settings));
    return Promise.resolve();
  }

  async end(tenure: Tenure): Promise<void> {
    const publisher = this.publishers.get(tenure);
    this.publishers.delete(tenure);
    await publisher?.stop();
  }

  abandon(tenure: Tenure): void {
    void this.end(tenure);
  }
}
