import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Repeater, waitAtMost, type Clock } from '@proctor/clock';

/** Bytes that a check writes: more than fits into an inode or into the rest of a full file system. */
const PROBE_BYTES = 64 * 1024;
/** The folder's reader treats this name as an unfinished result, and removes it. */
const PROBE_FILE = 'probe.new';

interface WriteProbeSettings {
  /** Pause between two checks. */
  everyMs: number;
  /** A check that takes longer has failed: a file server that hangs never answers. */
  timeoutMs: number;
}

const WRITE_PROBE_SETTINGS: WriteProbeSettings = { everyMs: 10_000, timeoutMs: 10_000 };

/**
 * Checks whether results can be saved in a folder: writes a file there every few seconds, in the same way as a result.
 * Free space alone is not enough, since permissions, quotas and a read-only file system prevent writing, too.
 */
export class WriteProbe {
  private reason: string | null = null;
  private checking: Promise<void> | null = null;
  private readonly checks: Repeater;
  private stopped = false;

  constructor(
    private readonly path: string,
    private readonly clock: Clock,
    private readonly settings = WRITE_PROBE_SETTINGS,
    private readonly write = writeAndRemove,
  ) {
    this.checks = new Repeater(clock, () => settings.everyMs, this.check.bind(this));
  }

  /** Checks now, and then at intervals. Resolves after the first check. */
  async start(): Promise<void> {
    await this.check();
    if (!this.stopped) this.checks.start();
  }

  stop(): void {
    this.stopped = true;
    this.checks.stop();
  }

  /** Why nothing can be saved, for people; null: the last check succeeded. */
  get problem(): string | null {
    return this.reason;
  }

  /** A result could not be saved: this counts until a later check succeeds. */
  onSaveFailed(why: string): void {
    this.reason = why;
    this.checking = null;
  }

  /** A check that hangs is not started a second time. */
  private async check(): Promise<void> {
    const { path, settings } = this;
    const writing = (this.checking ??= this.write(path));
    const isOver = await waitAtMost(
      writing.then(
        () => ({ why: null }),
        (error: unknown) => ({ why: String(error) }),
      ),
      settings.timeoutMs,
      this.clock,
    );
    if (this.checking !== writing) return;
    if (isOver) this.checking = null;
    this.reason = isOver ? isOver.why : `writing takes longer than ${settings.timeoutMs / 1000} s`;
  }
}

async function writeAndRemove(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const name = join(path, PROBE_FILE);
  const file = await open(name, 'w', 0o600);
  try {
    await file.writeFile(Buffer.alloc(PROBE_BYTES, 1));
    await file.sync();
  } finally {
    await file.close();
    await rm(name, { force: true });
  }
}
