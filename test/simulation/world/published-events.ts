import { eventId, type Fact } from '@proctor/contracts';

/** The events that a reader of the stream has received. */
export class PublishedEvents {
  private readonly ids = new Set<string>();
  /** Latest event of each run since the stream began. */
  private readonly latest = new Map<number, number>();

  /** False when it came after a later one of its run. */
  isInOrder(fact: Fact): boolean {
    const before = this.latest.get(fact.runId) ?? 0;
    this.ids.add(eventId(fact));
    this.latest.set(fact.runId, fact.factId);
    return fact.factId > before;
  }

  has(fact: Fact): boolean {
    return this.ids.has(eventId(fact));
  }

  /** The stream was lost, or ids are given again: what was not marked as published comes again. */
  startAgain(): void {
    this.latest.clear();
  }
}
