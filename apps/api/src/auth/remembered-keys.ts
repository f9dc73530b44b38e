import { hash as digest } from 'node:crypto';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import { SUBJECTS } from '@proctor/contracts';
import type { ApiKeys, KeyHolder } from '@proctor/database';
import { LRUCache } from 'lru-cache';
import type { ApiConfiguration } from '../configuration.token';

/** How many valid keys are remembered. Beyond that, the least recently used ones are looked up again. */
const KEYS_MAX = 10_000;

/** What reaches the other api processes, while there is a bus. */
interface Signalling {
  listen(subject: string, received: () => void): void;
  signal(subject: string, body: object): void;
}

interface Remembered {
  holder: Promise<KeyHolder | null>;
  untilMs: number;
}

/**
 * The owners of keys that were used a moment ago. All of them are removed when a key was revoked or got
 * another secret, here or in another process, which sends a signal. If that signal is lost, a key is looked
 * up again after `keysRememberedMs`. Requests at the same time share a look-up. Unknown keys are not
 * remembered.
 */
export class RememberedKeys implements OnApplicationBootstrap {
  private readonly keys = new LRUCache<string, Remembered>({ max: KEYS_MAX });
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly apiKeys: Pick<ApiKeys, 'authenticate'>,
    private readonly configuration: ApiConfiguration,
    private readonly signals: Signalling,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.signals.listen(SUBJECTS.keysChanged, () => this.clear());
  }

  /** Calls `notifyChanged` whenever this process learns that keys may allow less than before. */
  onChange(notifyChanged: () => void): void {
    this.listeners.push(notifyChanged);
  }

  /**
   * Null for an unknown or revoked key, whatever its shape.
   * @throws KeyRefused
   */
  authenticate(key: string): Promise<KeyHolder | null> {
    const { keysRememberedMs } = this.configuration.server;
    if (keysRememberedMs === 0) return this.apiKeys.authenticate(key);
    const hash = digest('sha256', key, 'base64');
    const now = this.clock.now();
    const previous = this.keys.get(hash);
    if (previous && now < previous.untilMs) return previous.holder;
    const entry = { holder: this.apiKeys.authenticate(key), untilMs: now + keysRememberedMs };
    this.keys.set(hash, entry);
    const clear = (): void => {
      if (this.keys.peek(hash) === entry) this.keys.delete(hash);
    };
    entry.holder.then((holder) => {
      if (!holder) clear();
      else if (holder.validMs !== null) entry.untilMs = Math.min(entry.untilMs, now + holder.validMs);
    }, clear);
    return entry.holder;
  }

  /** A key is no longer valid, or opens something else, and this is committed. */
  notifyChanged(): void {
    this.clear();
    this.signals.signal(SUBJECTS.keysChanged, {});
  }

  private clear(): void {
    this.keys.clear();
    for (const changed of this.listeners) changed();
  }
}
