import type { FileHandle } from 'node:fs/promises';
import { Repeater, waitAtMost, type Clock } from '@proctor/clock';
import type { LogChunk } from '@proctor/contracts';
import type { Log } from '@proctor/process';
import { openPlainFile } from '../autopkgtest/plain-file';

interface LogTailSettings {
  pollMs: number;
  /** Raw bytes of one chunk. */
  chunkBytesMax: number;
  /** After this many bytes of a log the stream ends with a note. */
  streamBytesMax: number;
  /** How long the end of an attempt waits until the last chunks are sent. */
  finishTimeoutMs: number;
}

export const LOG_TAIL_SETTINGS = { pollMs: 200, chunkBytesMax: 64 * 1024, finishTimeoutMs: 5_000 };

/**
 * Publishes a log while it grows, chunk by chunk in order. A chunk that could not be sent is sent again with the same
 * bytes, since a lost answer does not show whether it arrived. The file itself is the buffer, and nothing here makes an
 * attempt fail.
 */
export class LogTail {
  private chunk = 0;
  private offset = 0;
  /** The last chunk, until it is sent. Its number must always stand for the same bytes. */
  private unsent: LogChunk | null = null;
  /** The note that the stream ends before the log was sent. */
  private isNoted = false;
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

  /** The log is complete: sends the rest, within a time limit, and closes it. */
  async complete(): Promise<void> {
    this.polls.stop();
    this.reading = this.reading.then(() => this.sendNewChunks());
    await waitAtMost(this.reading, this.settings.finishTimeoutMs, this.clock);
    await this.close();
  }

  /** Stops sending; never rejects. Resolves when a chunk on its way has arrived or is lost, within a time limit. */
  async stop(): Promise<void> {
    this.polls.stop();
    await this.close();
    await waitAtMost(this.reading, this.settings.finishTimeoutMs, this.clock);
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
    // The tail may have been stopped while the file was opened.
    if (this.stopped) await file?.close();
    else this.file = file;
  }

  /** The next poll starts at the same place; the log has one line about it. */
  private warn(error: unknown): void {
    if (this.hasWarned || this.file === null) return;
    this.hasWarned = true;
    this.log.warn(`${this.path}: the live log is behind: ${String(error)}`);
  }

  /** Null: nothing is new. */
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

  /** A log that has exactly the largest length was streamed as a whole. */
  private async isCutOff(file: FileHandle): Promise<boolean> {
    const { streamBytesMax } = this.settings;
    return this.offset >= streamBytesMax && (await file.stat()).size > streamBytesMax;
  }
}
