import { hash as digest } from 'node:crypto';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import { SUBJECTS } from '@proctor/contracts';
import type { ApiKeys, KeyHolder } from '@proctor/database';
import { LRUCache } from 'lru-cache';
import type { ApiConfiguration } from '../configuration.token';

/** How many valid keys are remembered. Above that, the least recently used ones are removed. */
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
 * The owners of recently used keys. All are removed when a key was revoked or has a new secret; if another process
 * did that, it sends a signal. If the signal is lost, a key is read again after `keysRememberedMs`. Requests at the
 * same time share one query. Unknown keys are not remembered.
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

  /** Calls `notifyChanged` when this process learns that keys may allow less than before. */
  onChange(notifyChanged: () => void): void {
    this.listeners.push(notifyChanged);
  }

  /**
   * @returns null for an unknown or revoked key of any form
   * @throws KeyRefused for a key that may not be used here or now
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

  /** To be called after the commit of a change that ends a key or changes its rights. */
  notifyChanged(): void {
    this.clear();
    this.signals.signal(SUBJECTS.keysChanged, {});
  }

  private clear(): void {
    this.keys.clear();
    for (const listener of this.listeners) listener();
  }
}
