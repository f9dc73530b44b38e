import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Repeater, within, type Clock } from '@proctor/clock';

/** What `look` writes: more than what fits into an inode or into the rest of a file system that is full. */
const PROBE_BYTES = 64 * 1024;
/** A name that the folder's reader takes for a result that was not finished, and removes. */
const PROBE_FILE = 'probe.new';

export interface WriteProbeSettings {
  /** How old the last look may be. */
  everyMs: number;
  /** A look that takes longer has failed: a file server that does not answer never does. */
  timeoutMs: number;
}

export const WRITE_PROBE_SETTINGS: WriteProbeSettings = { everyMs: 10_000, timeoutMs: 10_000 };

/**
 * Knows whether results can be kept in a folder: writes a file there every few seconds, as a result is written. Free space
 * alone does not tell, since permissions, quotas and a file system that was mounted again refuse as well.
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

  /** Looks now, and then again and again. Resolves after the first look. */
  async start(): Promise<void> {
    await this.check();
    if (!this.stopped) this.checks.start();
  }

  stop(): void {
    this.stopped = true;
    this.checks.stop();
  }

  /** Why nothing can be kept, for people; null: the last look found nothing wrong. */
  get problem(): string | null {
    return this.reason;
  }

  /** A result could not be kept: holds until a look that begins later succeeds. */
  onSaveFailed(why: string): void {
    this.reason = why;
    this.checking = null;
  }

  /** One that hangs is not begun a second time. */
  private async check(): Promise<void> {
    const { path, settings } = this;
    const writing = (this.checking ??= this.write(path));
    const isOver = await within(
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
