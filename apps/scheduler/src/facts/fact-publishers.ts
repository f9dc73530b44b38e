import type { Realm } from '../ownership/realm';
import type { Tenure } from '../ownership/tenure';
import type { FactPublisher } from './fact-publisher';

/** The publishers of the architectures that this process owns. */
export class FactPublishers implements Realm {
  private readonly publishers = new Map<Tenure, FactPublisher>();

  constructor(private readonly makePublisher: (tenure: Tenure) => FactPublisher) {}

  /** Facts of the architecture were committed. */
  look(arch: string): void {
    for (const [tenure, publisher] of this.publishers) if (tenure.arch === arch) publisher.look();
  }

  begin(tenure: Tenure): Promise<void> {
    this.publishers.set(tenure, this.makePublisher(tenure));
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
