import { lstat, opendir } from 'node:fs/promises';
import { Repeater, type Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import { type RoomOnDisk, freeSpaceOf } from '../sandbox/free-space';
import type { RunFolder } from '../sandbox/run-folder';

/** A runner may write at any speed between two checks. */
const POLL_MS = 250;

/** Files are measured at least this often, but measuring takes at most one part in FILES_TIME_SHARE of the time. */
const FILES_EVERY_MS = 5_000;
const FILES_TIME_SHARE = 20;

/** A block of `stat`, independent of the file system's blocks. */
const BLOCK_BYTES = 512;

/** Least size that a file counts: an empty one takes space too, and there may be very many. */
const FILE_BYTES_MIN = 4096;

/** The last measurement of the files. */
interface LastMeasurement {
  atMs: number;
  tookMs: number;
  free: RoomOnDisk;
  /** Bytes that may still be written. */
  room: number;
}

/**
 * Calls `onExceeded` once if a running test runner has written more to the worker's disk than allowed: its log, the
 * output of its tests, artifacts, and its standard error. All other files of tests are in the sandbox's own tmpfs.
 * There may be very many files, since the tree of the tests is among them. So they are measured only when the file
 * system has lost as much space as the runner may still use, and at intervals, since other programs may have freed
 * space.
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
    const onFailure = (error: unknown) =>
      this.log.warn(`the output of a runner is not watched: ${String(error)}`);
    this.checks = new Repeater(
      this.clock,
      () => POLL_MS,
      () => this.check(onExceeded),
      onFailure,
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

  /** Whether more than allowed may have been written since the last measurement. */
  private mayHaveWritten({ atMs, tookMs, free, room }: LastMeasurement, now: RoomOnDisk): boolean {
    const usedBytes = free.bytes - now.bytes + (free.files - now.files) * FILE_BYTES_MIN;
    const pauseMs = Math.max(FILES_EVERY_MS, tookMs * FILES_TIME_SHARE);
    return usedBytes > room || this.clock.now() - atMs >= pauseMs;
  }
}

/**
 * Bytes that files and folders take on their disk, without holes; counting ends once there are more than `enough`.
 * Files that have gone, or may not be read, count nothing.
 */
export async function measureDiskUse(paths: string[], enough = Infinity): Promise<number> {
  // As bytes: a test may choose a name that is no valid text.
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
      // There may be too many names for the memory.
      if (least > enough) return least;
    }
  }
  return bytes;
}

async function* listNames(path: Buffer): AsyncGenerator<Buffer> {
  const folder = await opendir(path, { encoding: 'buffer' as BufferEncoding }).catch(() => null);
  if (folder) for await (const { name } of folder) yield name as unknown as Buffer;
}
