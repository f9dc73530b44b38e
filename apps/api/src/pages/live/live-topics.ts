import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { Repeater } from '@proctor/clock';
import type { Clock } from '@proctor/clock';
import { SUBJECTS } from '@proctor/contracts';
import { asBackgroundWork } from '@proctor/database';
import type { RunReader } from '@proctor/database';
import type { DispatcherClient } from '../../dispatchers/dispatcher-client';
import { comeBack } from '../../http/problem';

/** Time between checks. A page shows a change after this time at the latest, also when the signal was lost. */
const LOOK_EVERY_MS = 2_000;

/** A topic that open pages follow. */
interface Topic {
  name: string;
  /** The reader of the pages; the public when the public sees the same. */
  reader: RunReader;
  version: string;
  watchers: Set<Watcher>;
}

interface Watcher {
  stale: () => void;
  end: () => void;
}

/** Returns a text that changes with the content of a topic for a reader; empty when there is no such topic. */
export type VersionOf = (topic: string, reader: RunReader) => Promise<string>;

/**
 * Sends a message to open pages when their content has changed. Pages with the same topic and readers with the
 * same rights share one check of the database: every two seconds, and at once after the signal that a run has
 * ended.
 */
export class LiveTopics implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('LiveTopics');
  private readonly topics = new Map<string, Topic>();
  private readonly looks: Repeater;
  private looking: Promise<void> | null = null;
  private isShutDown = false;

  constructor(
    private readonly versionOf: VersionOf,
    clock: Clock,
    private readonly dispatchers: Pick<DispatcherClient, 'listen'>,
  ) {
    this.looks = new Repeater(
      clock,
      () => LOOK_EVERY_MS,
      () => this.checkTopics(),
    );
  }

  onApplicationBootstrap(): void {
    this.dispatchers.listen(SUBJECTS.resultsChanged, () => void this.checkTopics());
  }

  /**
   * Calls `stale` after each change, and `end` when the process ends.
   * @returns a function that stops the calls; null when there is no such topic
   * @throws Problem 503 when the process is about to end
   */
  async watch(name: string, reader: RunReader, watcher: Watcher): Promise<(() => void) | null> {
    const candidate = await this.topicFor(name, reader);
    if (candidate.version === '') return null;
    if (this.isShutDown) throw comeBack(503, 'This process is about to end.', LOOK_EVERY_MS);
    const key = keyOf(candidate);
    const topic = this.topics.get(key) ?? candidate;
    topic.watchers.add(watcher);
    this.topics.set(key, topic);
    if (!this.looks.isActive) this.looks.start();
    return () => this.leave(key, topic, watcher);
  }

  beforeApplicationShutdown(): void {
    this.endWatches();
  }

  /** Ends all watches and refuses new ones. */
  endWatches(): void {
    this.isShutDown = true;
    this.looks.stop();
    for (const { watchers } of this.topics.values()) for (const { end } of watchers) end();
  }

  /** The topic of the reader, or the topic of the public when both see the same. */
  private async topicFor(name: string, reader: RunReader): Promise<Topic> {
    const topic: Topic = { name, reader: {}, version: await this.versionOf(name, {}), watchers: new Set() };
    if (!reader.everything && reader.userName === undefined) return topic;
    const version = await this.versionOf(name, reader);
    return version === topic.version ? topic : { ...topic, reader, version };
  }

  private leave(key: string, topic: Topic, watcher: Watcher): void {
    topic.watchers.delete(watcher);
    if (topic.watchers.size === 0 && this.topics.get(key) === topic) this.topics.delete(key);
    if (this.topics.size === 0) this.looks.stop();
  }

  private checkTopics(): Promise<void> {
    this.looking ??= asBackgroundWork(() => this.checkNow()).finally(() => (this.looking = null));
    return this.looking;
  }

  private async checkNow(): Promise<void> {
    for (const topic of this.topics.values()) {
      try {
        const version = await this.versionOf(topic.name, topic.reader);
        if (version === topic.version) continue;
        topic.version = version;
        for (const { stale } of topic.watchers) stale();
      } catch (error) {
        // The next check may succeed.
        this.logger.warn(`no look at ${topic.name}: ${String(error)}`);
      }
    }
  }
}

/** All administrators share a key, because they see the same. */
function keyOf({ name, reader: { everything, userName } }: Topic): string {
  return JSON.stringify([name, everything === true || userName]);
}
