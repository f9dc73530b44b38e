import { Logger } from '@nestjs/common';
import type { Bus } from '@proctor/bus';
import { WakeUp, type Clock } from '@proctor/clock';
import type { Fact } from '@proctor/contracts';
import type { Facts } from '@proctor/database';
import type { OwnershipTerm } from '../ownership/ownership-term';

export interface PublisherPorts {
  facts: Pick<Facts, 'listUnpublished' | 'markPublished'>;
  bus: Pick<Bus, 'publishEvent'>;
  clock: Clock;
  /** These facts are published, and their rows are marked. */
  onPublished?: (facts: Fact[]) => void;
}

/** Injection token of a function that returns the current PublisherSettings. */
export const PUBLISHER_SETTINGS = Symbol('publisher settings');

export interface PublisherSettings {
  /** Facts are read at least this often, and so long after a failure. */
  pollMs: number;
  /** The shortest time between two reads. Everything that is committed between them is published together. */
  pauseMs: number;
  factsPerLookMax: number;
}

/** Facts are published for at most half of the time, however many wait: events may be late, turns may not. */
const REST_PER_WORK = 1;

/**
 * Publishes the facts of one architecture as events, for one term: each at least once, the facts of a run in the order
 * of their ids.
 */
export class FactPublisher {
  private readonly logger: Logger;
  private hasNewFacts = false;
  private stopped = false;
  private readonly wakeUp: WakeUp;
  /** Whether newly committed facts end the current rest. */
  private isRestOver = (): boolean => false;
  private readonly loop: Promise<void>;

  /** Starts to work at once. @param settings returns the settings in use at the moment of the call */
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

  /** Resolves when publishing has ended. */
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
      // New facts do not end the pause after a failure.
      await this.rest(pollMs - pauseMs, () => outcome === 'all' && this.hasNewFacts);
    }
  }

  private async publishWaiting(): Promise<'all' | 'more' | 'failed'> {
    const { facts } = this.ports;
    const { factsPerLookMax } = this.settings();
    if (!this.term.holds()) return 'failed';
    try {
      const waiting = await facts.listUnpublished(this.term.arch, factsPerLookMax);
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

  /**
   * @returns the facts that the stream has. Runs are published in parallel; the facts of a run one by one, up to the
   * first that fails.
   */
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

  /** Ends early when stopped, or when facts are committed and `isOver` is true. */
  private rest(ms: number, isOver: () => boolean): Promise<void> {
    if (this.stopped || isOver()) return Promise.resolve();
    this.isRestOver = isOver;
    return this.wakeUp.waitFromNow(ms);
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
