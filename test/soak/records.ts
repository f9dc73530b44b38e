import { createWriteStream, type WriteStream } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with a log of each part of the deployment and what was found out about it. */
export class Records {
  private readonly logs = new Map<string, WriteStream>();

  private constructor(readonly folder: string) {}

  static async open(): Promise<Records> {
    return new Records(await mkdtemp(join(tmpdir(), 'proctor-soak-records-')));
  }

  /** One line of one part. */
  line(part: string, text: string): void {
    this.logOf(part).write(`${new Date().toISOString()} ${text}\n`);
  }

  /** A log that its server writes itself. */
  async take(part: string, path: string): Promise<void> {
    await copyFile(path, join(this.folder, `${part}.log`));
  }

  async write(name: string, content: object): Promise<void> {
    await writeFile(join(this.folder, name), `${JSON.stringify(content, null, 2)}\n`);
  }

  async close(): Promise<void> {
    const logs = [...this.logs.values()];
    await Promise.all(logs.map((log) => new Promise<void>((resolve) => log.end(() => resolve()))));
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  private logOf(part: string): WriteStream {
    const file = this.logs.get(part);
    if (file) return file;
    const log = createWriteStream(join(this.folder, `${part}.log`), { flags: 'a' });
    this.logs.set(part, log);
    return log;
  }
}
