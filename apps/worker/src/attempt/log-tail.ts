import type { FileHandle } from 'node:fs/promises';
import { Repeater, within, type Clock } from '@proctor/clock';
import type { LogChunk } from '@proctor/contracts';
import type { Log } from '@proctor/process';
import { openPlainFile } from '../autopkgtest/plain-file';

export interface LogTailSettings {
  pollMs: number;
  /** Raw bytes of one chunk. */
  chunkBytesMax: number;
  /** Bytes that are streamed of a longer log before the stream ends with a word about it. */
  streamBytesMax: number;
  /** How long the end of an attempt waits for the last chunks to be sent. */
  finishTimeoutMs: number;
}

export const LOG_TAIL_SETTINGS = { pollMs: 200, chunkBytesMax: 64 * 1024, finishTimeoutMs: 5_000 };

/**
 * Publishes a log while it grows, chunk by chunk in order. A chunk that cannot be sent is sent again with the
 * same bytes, since a lost answer does not tell whether it arrived. The file itself is the buffer of all that follows, and
 * nothing here ever fails an attempt.
 */
export class LogTail {
  private chunk = 0;
  private offset = 0;
  /** The chunk that was read last, until it was sent: its number stands for these bytes and no others. */
  private unsent: LogChunk | null = null;
  /** It was said that the stream ends before the log. */
  private isNoted = false;
  /** It sends no more. */
  private stopped = false;
  private file: FileHandle | null = null;
  private hasWarned = false;
  private reading: Promise<void> = Promise.resolve();
  private readonly polls: Repeater;

  constructor(
    private readonly path: string,
    private readonly append: (chunk: LogChunk) => Promise<void>,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly settings: LogTailSettings,
  ) {
    const poll = () => (this.reading = this.sendNewChunks());
    this.polls = new Repeater(clock, () => settings.pollMs, poll);
  }

  start(): void {
    this.polls.start();
  }

  /** The log is complete: sends the rest, within bounds, and closes it. */
  async finish(): Promise<void> {
    this.polls.stop();
    this.reading = this.reading.then(() => this.sendNewChunks());
    await within(this.reading, this.settings.finishTimeoutMs, this.clock);
    await this.close();
  }

  /** Sends nothing more; never rejects. Resolves when a chunk that was on its way has arrived or is lost, within bounds. */
  async stop(): Promise<void> {
    this.polls.stop();
    await this.close();
    await within(this.reading, this.settings.finishTimeoutMs, this.clock);
  }

  private async close(): Promise<void> {
    this.stopped = true;
    const { file } = this;
    this.file = null;
    await file?.close().catch((error: unknown) => this.log.warn(`${this.path}: ${String(error)}`));
  }

  private async sendNewChunks(): Promise<void> {
    try {
      await this.open();
      while (!this.stopped) {
        this.unsent ??= await this.readChunk();
        if (!this.unsent) return;
        await this.append(this.unsent);
        this.chunk += 1;
        if (!this.unsent.isNote) this.offset += Buffer.byteLength(this.unsent.data, 'base64');
        this.unsent = null;
        this.hasWarned = false;
      }
    } catch (error) {
      this.warn(error);
    }
  }

  private async open(): Promise<void> {
    if (this.file || this.stopped) return;
    const file = await openPlainFile(this.path);
    // It may have been stopped meanwhile.
    if (this.stopped) await file?.close();
    else this.file = file;
  }

  /** The next poll begins at the same place; people hear of it once. */
  private warn(error: unknown): void {
    if (this.hasWarned || this.file === null) return;
    this.hasWarned = true;
    this.log.warn(`${this.path}: the live log is behind: ${String(error)}`);
  }

  /** null: there is nothing new. */
  private async readChunk(): Promise<LogChunk | null> {
    if (!this.file || this.isNoted) return null;
    const bytes = await this.read(this.file);
    const place = { chunk: this.chunk, offset: this.offset };
    if (bytes.length > 0) return { ...place, data: bytes.toString('base64') };
    if (!(await this.isCutOff(this.file))) return null;
    this.isNoted = true;
    const note = `\n[the live log ends here, after ${this.settings.streamBytesMax} bytes]\n`;
    return { ...place, data: Buffer.from(note).toString('base64'), isNote: true };
  }

  private async read(file: FileHandle): Promise<Buffer> {
    const { chunkBytesMax, streamBytesMax } = this.settings;
    const length = Math.min(chunkBytesMax, streamBytesMax - this.offset);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, this.offset);
    return buffer.subarray(0, bytesRead);
  }

  /** What is as long as may be streamed, and not longer, was streamed as a whole. */
  private async isCutOff(file: FileHandle): Promise<boolean> {
    const { streamBytesMax } = this.settings;
    return this.offset >= streamBytesMax && (await file.stat()).size > streamBytesMax;
  }
}
