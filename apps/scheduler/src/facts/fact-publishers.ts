import { Inject, Injectable } from '@nestjs/common';
import { Bus } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import type { Fact } from '@proctor/contracts';
import { Facts } from '@proctor/database';
import { CLOCK } from '../configuration.token';
import type { OwnedService } from '../ownership/owned-service';
import type { OwnershipTerm } from '../ownership/ownership-term';
import { RunTraces } from '../traces/run-traces';
import {
  FactPublisher,
  PUBLISHER_SETTINGS,
  type PublisherPorts,
  type PublisherSettings,
} from './fact-publisher';

/** The publishers of the architectures that this process owns. */
@Injectable()
export class FactPublishers implements OwnedService {
  private readonly publishers = new Map<OwnershipTerm, FactPublisher>();

  constructor(
    @Inject(Facts) private readonly facts: PublisherPorts['facts'],
    @Inject(Bus) private readonly bus: PublisherPorts['bus'],
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUBLISHER_SETTINGS) private readonly settings: () => PublisherSettings,
    @Inject(RunTraces) private readonly traces?: Pick<RunTraces, 'onPublished'>,
  ) {}

  /** Facts of the architecture were committed. */
  onFactsCommitted(arch: string): void {
    for (const [term, publisher] of this.publishers) if (term.arch === arch) publisher.onFactsCommitted();
  }

  start(term: OwnershipTerm): Promise<void> {
    const { facts, bus, clock } = this;
    const published = (facts: Fact[]) => this.traces?.onPublished(facts);
    this.publishers.set(
      term,
      new FactPublisher(term, { facts, bus, clock, onPublished: published }, this.settings),
    );
    return Promise.resolve();
  }

  async stop(term: OwnershipTerm): Promise<void> {
    const publisher = this.publishers.get(term);
    this.publishers.delete(term);
    await publisher?.stop();
  }

  abandon(term: OwnershipTerm): void {
    void this.stop(term);
  }
}
