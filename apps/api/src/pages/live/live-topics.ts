import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { Repeater } from '@proctor/clock';
import type { Clock } from '@proctor/clock';
import { SUBJECTS } from '@proctor/contracts';
import { besideRequests } from '@proctor/database';
import type { RunReader } from '@proctor/database';
import type { DispatcherClient } from '../../dispatchers/dispatcher-client';
import { comeBack } from '../../http/problem';

/** How late a page follows a change when its signal was lost. */
const LOOK_EVERY_MS = 2_000;

/** What pages show may be stale. */
interface Topic {
  name: string;
  /** The reader who sees it: the public where these see nothing else. */
  reader: RunReader;
  version: string;
  watchers: Set<Watcher>;
}

interface Watcher {
  stale: () => void;
  end: () => void;
}

/** Something that pages show to a reader, in words that differ after each change; empty for what is not there. */
export type VersionOf = (topic: string, reader: RunReader) => Promise<string>;

/**
 * Sends a message to open pages when something that they show has changed. For all pages that show the same
 * to readers with the same rights, the database is asked once: every two seconds, and at once after the hint
 * that a run has ended.
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
   * @returns ends it; null for a topic that is not there
   * @throws Problem 503 when the process is about to end
   */
  async watch(name: string, reader: RunReader, watcher: Watcher): Promise<(() => void) | null> {
    const seen = await this.topicFor(name, reader);
    if (seen.version === '') return null;
    if (this.isShutDown) throw comeBack(503, 'This process is about to end.', LOOK_EVERY_MS);
    const key = keyOf(seen);
    const topic = this.topics.get(key) ?? seen;
    topic.watchers.add(watcher);
    this.topics.set(key, topic);
    if (!this.looks.isActive) this.looks.start();
    return () => this.leave(key, topic, watcher);
  }

  beforeApplicationShutdown(): void {
    this.endWatches();
  }

  /** All end now, and what begins later ends at once. */
  endWatches(): void {
    this.isShutDown = true;
    this.looks.stop();
    for (const { watchers } of this.topics.values()) for (const { end } of watchers) end();
  }

  /** That of the public, if the reader sees the same. */
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
    this.looking ??= besideRequests(() => this.checkNow()).finally(() => (this.looking = null));
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
        // The next look may find what this one could not.
        this.logger.warn(`no look at ${topic.name}: ${String(error)}`);
      }
    }
  }
}

/** Administrators see the same. */
function keyOf({ name, reader: { everything, userName } }: Topic): string {
  return JSON.stringify([name, everything === true || userName]);
}
