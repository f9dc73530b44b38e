import { watch, type FSWatcher } from 'node:fs';
import { FolderContent } from './folder';
import type { LiveConfiguration, Reload } from './live-configuration';

export interface WatcherSettings {
  /** A change is applied once the files have stayed the same for this long. */
  quietMs: number;
  /** The quiet time if a file is empty or missing: editors cause that for a moment before they write. */
  vanishedQuietMs: number;
  /** How often the files are read without an event: not every file system reports changes. */
  pollMs: number;
}

const WATCHER_SETTINGS: WatcherSettings = { quietMs: 250, vanishedQuietMs: 2_000, pollMs: 10_000 };

/** Applies changes of a configuration folder. Its timers do not keep a process alive. */
export class ConfigurationWatcher {
  private watcher: FSWatcher | null = null;
  private readonly poll: NodeJS.Timeout;
  private reading: Promise<void> = Promise.resolve();
  private checkAgain = false;
  /** A changed folder that is applied if it stays the same until the timer ends. */
  private awaited: FolderContent | null = null;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  /** @param onReload gets the outcome of each change */
  constructor(
    private readonly live: LiveConfiguration,
    private readonly onReload: (reload: Reload) => void,
    private readonly settings = WATCHER_SETTINGS,
  ) {
    this.watch();
    this.poll = setInterval(() => {
      this.watch();
      this.check();
    }, settings.pollMs).unref();
    // The folder may have changed since it was loaded.
    this.check();
  }

  /** Applies the folder now, without waiting for it to settle, and calls `onReload` even if nothing changed. */
  async reload(): Promise<void> {
    this.onReload(this.live.apply(await FolderContent.read(this.live.lastRead.folder)));
  }

  /** Resolves when no read is under way. */
  async close(): Promise<void> {
    this.closed = true;
    this.watcher?.close();
    clearInterval(this.poll);
    clearTimeout(this.timer);
    await this.reading;
  }

  /** Watches the folder again by its path, since it may have been replaced or created. */
  private watch(): void {
    this.watcher?.close();
    this.watcher = null;
    try {
      this.watcher = watch(this.live.lastRead.folder, { persistent: false }, () => this.check());
      // The next poll watches again.
      this.watcher.on('error', () => this.watcher?.close());
    } catch {
      // The folder is missing, or the machine's watches are used up: the poll finds changes.
      this.watcher = null;
    }
  }

  /** Reads happen one after the other; the next read finds what changes during one. */
  private check(): void {
    if (this.checkAgain) return;
    this.checkAgain = true;
    this.read(null);
  }

  /** @param due content that has stayed the same for the required time */
  private read(due: FolderContent | null): void {
    this.reading = this.reading.then(async () => {
      if (this.closed) return;
      this.checkAgain = false;
      const content = await FolderContent.read(this.live.lastRead.folder);
      if (!this.closed) this.compare(content, due);
    });
  }

  private compare(content: FolderContent, due: FolderContent | null): void {
    const isKnown = content.equals(this.live.lastRead);
    const isAwaited = this.awaited?.equals(content) ?? false;
    if (isKnown) this.await(null);
    else if (!isAwaited) this.await(content);
    else if (due === this.awaited) {
      this.await(null);
      this.onReload(this.live.apply(content));
    }
  }

  private await(content: FolderContent | null): void {
    clearTimeout(this.timer);
    this.awaited = content;
    if (!content) return;
    const { quietMs, vanishedQuietMs } = this.settings;
    const ms = content.lacksFilesOf(this.live.lastRead) ? vanishedQuietMs : quietMs;
    this.timer = setTimeout(() => this.read(content), ms).unref();
  }
}
