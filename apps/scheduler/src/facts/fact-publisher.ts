import { Logger } from '@nestjs/common';
import type { Bus } from '@proctor/bus';
import { WakeUp, type Clock } from '@proctor/clock';
import type { Fact } from '@proctor/contracts';
import type { Facts } from '@proctor/database';
import type { OwnershipTerm } from '../ownership/ownership-term';

export interface PublisherPorts {
  facts: Pick<Facts, 'unpublished' | 'markPublished'>;
  bus: Pick<Bus, 'publishEvent'>;
  clock: Clock;
  /** The bus has these facts, and their rows say so. */
  onPublished?: (facts: Fact[]) => void;
}

/** Where a function is injected that returns the PublisherSettings of the moment. */
export const PUBLISHER_SETTINGS = Symbol('publisher settings');

export interface PublisherSettings {
  /** Facts are looked for at least this often, and again this long after they could not be published. */
  pollMs: number;
  /** The least time between two looks: what happens meanwhile goes together. */
  pauseMs: number;
  factsPerLookMax: number;
}

/** However many wait, facts are published for at most half of the time: events may be late, turns may not. */
const REST_PER_WORK = 1;

/**
 * Publishes the facts of one architecture as events, for one term: each at least once, those of a run in the order of
 * their ids.
 */
export class FactPublisher {
  private readonly logger: Logger;
  private hasNewFacts = false;
  private stopped = false;
  private readonly wakeUp: WakeUp;
  /** Whether facts that are committed end the wait under way. */
  private isRestOver = (): boolean => false;
  private readonly loop: Promise<void>;

  /** Begins to work at once. @param settings as they are at the moment */
  constructor(
    private readonly term: OwnershipTerm,
    private readonly ports: PublisherPorts,
    private readonly settings: () => PublisherSettings,
  ) {
    this.logger = new Logger(`Facts ${term.arch}`);
    this.wakeUp = new WakeUp(ports.clock);
    this.loop = this.run();
  }

  /** Facts were committed: do not wait for the next poll. */
  onFactsCommitted(): void {
    this.hasNewFacts = true;
    if (this.isRestOver()) this.wakeUp.wake();
  }

  /** Resolves when nothing is published any more. */
  stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.wake();
    return this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.hasNewFacts = false;
      const { pollMs, pauseMs } = this.settings();
      const fromMs = this.ports.clock.now();
      const outcome = await this.publishWaiting();
      if (outcome === 'more') {
        await this.rest(REST_PER_WORK * (this.ports.clock.now() - fromMs), () => false);
        continue;
      }
      await this.rest(pauseMs, () => false);
      // A word that facts were committed does not help while they cannot be published.
      await this.rest(pollMs - pauseMs, () => outcome === 'all' && this.hasNewFacts);
    }
  }

  private async publishWaiting(): Promise<'all' | 'more' | 'failed'> {
    const { facts } = this.ports;
    const { factsPerLookMax } = this.settings();
    if (!this.term.holds()) return 'failed';
    try {
      const waiting = await facts.unpublished(this.term.arch, factsPerLookMax);
      const published = await this.publish(waiting);
      if (published.length > 0) {
        await facts.markPublished(published);
        this.ports.onPublished?.(published);
      }
      if (published.length < waiting.length) return 'failed';
      return waiting.length === factsPerLookMax ? 'more' : 'all';
    } catch (error) {
      this.logger.warn(`facts could not be read or marked: ${String(error)}`);
      return 'failed';
    }
  }

  /** Those that the stream has. Runs side by side; those of a run one by one, up to the first that fails. */
  private async publish(facts: Fact[]): Promise<Fact[]> {
    const published: Fact[] = [];
    const failures: unknown[] = [];
    const publishInOrder = async (ofRun: Fact[]): Promise<void> => {
      for (const fact of ofRun) {
        if (this.stopped || !this.term.holds()) return;
        await this.ports.bus.publishEvent(fact);
        published.push(fact);
      }
    };
    await Promise.all(
      byRun(facts).map((ofRun) => publishInOrder(ofRun).catch((error) => failures.push(error))),
    );
    if (failures.length > 0)
      this.logger.warn(`${facts.length - published.length} facts not published: ${String(failures[0])}`);
    return published;
  }

  /** Ends early when it is stopped, or when `isOver` says so as facts are committed. */
  private rest(ms: number, isOver: () => boolean): Promise<void> {
    if (this.stopped || isOver()) return Promise.resolve();
    this.isRestOver = isOver;
    return this.wakeUp.waitAfresh(ms);
  }
}

function byRun(facts: Fact[]): Fact[][] {
  const runs = new Map<number, Fact[]>();
  for (const fact of facts) {
    const ofRun = runs.get(fact.runId);
    if (ofRun) ofRun.push(fact);
    else runs.set(fact.runId, [fact]);
  }
  return [...runs.values()];
}
