import { eventId, type Fact } from '@proctor/contracts';
import { Waiters } from './waiters';

/** The event stream of one process. */
export class MemoryEvents {
  private readonly facts: Fact[] = [];
  /** How many there were before these. */
  private lostCount = 0;
  private readonly ids = new Set<string>();
  private readonly waiters = new Waiters();

  append(fact: Fact): void {
    if (this.ids.has(eventId(fact))) return;
    this.ids.add(eventId(fact));
    this.facts.push(structuredClone(fact));
    this.waiters.wake(fact.arch);
  }

  /** Readers go on with what is appended from now on. */
  lose(): void {
    this.lostCount += this.facts.splice(0).length;
    this.ids.clear();
  }

  async *read(arch: string, signal?: AbortSignal): AsyncGenerator<Fact> {
    for (let place = 0; !signal?.aborted;) {
      place = Math.max(place, this.lostCount);
      const fact = this.facts[place - this.lostCount];
      if (!fact) await this.waiters.wait(arch, signal);
      else {
        place++;
        if (fact.arch === arch) yield fact;
      }
    }
  }
}
