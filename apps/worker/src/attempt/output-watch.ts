import { lstat, opendir } from 'node:fs/promises';
import { Repeater, type Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import { type RoomOnDisk, freeSpaceOf } from '../sandbox/free-space';
import type { RunFolder } from '../sandbox/run-folder';

/** How long a runner may write faster than anybody looks. */
const POLL_MS = 250;

/** Files are looked at again after this time at the latest, and that may take one part of the time in so many. */
const FILES_EVERY_MS = 5_000;
const FILES_TIME_SHARE = 20;

/** A block of `stat`, whatever the file system's own are. */
const BLOCK_BYTES = 512;

/** What a file counts at least: an empty one takes room as well, and there may be very many. */
const FILE_BYTES_MIN = 4096;

/** The files as they were looked at last. */
interface LastMeasurement {
  atMs: number;
  tookMs: number;
  free: RoomOnDisk;
  /** Bytes that may still be written. */
  room: number;
}

/**
 * Calls once when a running test runner has written more to the worker's disk than it may: its log, the output of its
 * tests, artifacts, and what it says on standard error. What tests write elsewhere stays in the sandbox's own tmpfs.
 *
 * There may be very many files, since the tree of the tests is among them. So they are looked at when the file system has
 * lost as much room as the runner had left, and now and then, should others have given some back meanwhile.
 */
export class OutputWatch {
  private exceeded = false;
  private checks: Repeater | null = null;
  private last: LastMeasurement | null = null;

  constructor(
    private readonly folder: Pick<RunFolder, 'output' | 'errors'>,
    private readonly settings: { readonly runOutputBytesMax: number },
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly freeSpace: () => Promise<RoomOnDisk> = () => freeSpaceOf(folder.output),
  ) {}

  get isExceeded(): boolean {
    return this.exceeded;
  }

  start(onExceeded: () => void): void {
    const failed = (error: unknown) =>
      this.log.warn(`the output of a runner is not watched: ${String(error)}`);
    this.checks = new Repeater(
      this.clock,
      () => POLL_MS,
      () => this.check(onExceeded),
      failed,
    );
    this.checks.start();
  }

  stop(): void {
    this.checks?.stop();
  }

  private async check(onExceeded: () => void): Promise<void> {
    const { output, errors } = this.folder;
    const bytesMax = this.settings.runOutputBytesMax;
    const free = await this.freeSpace();
    if (this.last && !this.mayHaveWritten(this.last, free)) return;
    const atMs = this.clock.now();
    const bytes = await measureDiskUse([output, errors], bytesMax);
    this.last = { atMs, tookMs: this.clock.now() - atMs, free, room: bytesMax - bytes };
    if (bytes <= bytesMax || !this.checks?.isActive) return;
    this.stop();
    this.exceeded = true;
    onExceeded();
  }

  /** More than it may, since the last look at the files. */
  private mayHaveWritten({ atMs, tookMs, free, room }: LastMeasurement, now: RoomOnDisk): boolean {
    const gone = free.bytes - now.bytes + (free.files - now.files) * FILE_BYTES_MIN;
    const pauseMs = Math.max(FILES_EVERY_MS, tookMs * FILES_TIME_SHARE);
    return gone > room || this.clock.now() - atMs >= pauseMs;
  }
}

/**
 * Bytes that files and folders take on their disk, holes left out; not counted further once there are more than `enough`.
 * What is gone when it is looked at, or may not be looked at, counts nothing.
 */
export async function measureDiskUse(paths: string[], enough = Infinity): Promise<number> {
  // Not as text: a test may choose a name that is none.
  const waiting = paths.map((path) => Buffer.from(path));
  let bytes = 0;
  for (let path = waiting.pop(); path !== undefined && bytes <= enough; path = waiting.pop()) {
    const status = await lstat(path).catch(() => null);
    if (!status) continue;
    bytes += Math.max(status.blocks * BLOCK_BYTES, FILE_BYTES_MIN);
    if (!status.isDirectory()) continue;
    const folder = Buffer.concat([path, Buffer.from('/')]);
    for await (const name of listNames(path)) {
      waiting.push(Buffer.concat([folder, name]));
      const least = bytes + waiting.length * FILE_BYTES_MIN;
      // There may be more names than anybody wants in memory.
      if (least > enough) return least;
    }
  }
  return bytes;
}

async function* listNames(path: Buffer): AsyncGenerator<Buffer> {
  const folder = await opendir(path, { encoding: 'buffer' as BufferEncoding }).catch(() => null);
  if (folder) for await (const { name } of folder) yield name as unknown as Buffer;
}
