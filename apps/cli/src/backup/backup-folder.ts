import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { DumpDescription, DumpedTable } from '@proctor/database';
import { Failure } from '../failure';

const FORMAT = 1;
const MANIFEST = 'manifest.json';
/** Those of the store, one a line as sha256sum writes them: there may be millions. */
export const STORE_SUMS = 'store.sha256';

/** What a backup is, written when all else is there. */
export interface Manifest {
  format: number;
  proctor: string;
  database: DumpDescription;
  /** Whether the files of the store are in it; of a bucket only its name is known. */
  store: 'included' | 'left out' | { bucket: string };
  /** Runs whose rows name files that were not in the store. */
  filesMissing: number;
  /** Path → SHA-256 of everything but the store's files. */
  sums: Record<string, string>;
  /** Path → what the file was; absent in backups of earlier versions. */
  attributes?: Record<string, FileAttributes>;
}

export interface FileAttributes {
  /** Its permissions. */
  mode: number;
  /** Names; empty when the system had none. */
  user: string;
  group: string;
}

/** What belongs to its owner alone. */
const CLOSED: FileAttributes = { mode: 0o600, user: '', group: '' };

/** The bytes and the sum of what passes through. */
export class Measured extends Transform {
  private readonly hash = createHash('sha256');
  bytes = 0;

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (e: null, chunk: Buffer) => void,
  ): void {
    this.bytes += chunk.length;
    this.hash.update(chunk);
    done(null, chunk);
  }

  sum(): string {
    return this.hash.digest('hex');
  }
}

/** A folder that a backup is written to, for its owner alone: it holds secrets. */
export class BackupFolder {
  readonly sums: Record<string, string> = {};
  readonly attributes: Record<string, FileAttributes> = {};
  bytes = 0;

  constructor(readonly path: string) {}

  /** @returns the sum of what was written */
  async write(name: string, ...content: [Readable, ...Transform[]]): Promise<string> {
    const measured = new Measured();
    const target = join(this.path, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await pipeline([...content, measured, createWriteStream(target, { mode: 0o600, flush: true })]);
    this.bytes += measured.bytes;
    return measured.sum();
  }

  async saveFile(name: string, ...content: [Readable, ...Transform[]]): Promise<void> {
    this.sums[name] = await this.write(name, ...content);
  }

  /** A file that is there already. */
  async addExistingFile(name: string): Promise<void> {
    this.sums[name] = await sumOf(join(this.path, name));
  }

  table({ name }: DumpedTable, rows: Readable): Promise<void> {
    return this.saveFile(tableFile(name), rows, createGzip({ level: 4 }));
  }

  async saveManifest(manifest: Omit<Manifest, 'format' | 'sums' | 'attributes'>): Promise<void> {
    const whole: Manifest = { format: FORMAT, ...manifest, sums: this.sums, attributes: this.attributes };
    await writeFile(join(this.path, MANIFEST), `${JSON.stringify(whole, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
  }
}

/** A backup that is complete, and whose sums but those of the store's files are right. */
export class CheckedBackup {
  private constructor(
    readonly path: string,
    readonly manifest: Manifest,
  ) {}

  /** @throws Failure for what is none, or was changed since */
  static async open(path: string): Promise<CheckedBackup> {
    const text = await readFile(join(path, MANIFEST), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
      throw new Failure(`${path} is no backup that is complete: it has no ${MANIFEST}`);
    });
    const manifest = JSON.parse(text) as Manifest;
    if (manifest.format !== FORMAT)
      throw new Failure(`${path} has the format ${manifest.format}: a newer Proctor made it`);
    for (const [name, sum] of Object.entries(manifest.sums)) {
      const found = await sumOf(join(path, name));
      if (found !== sum)
        throw new Failure(`${name} of the backup is damaged: its SHA-256 is ${found}, not ${sum}`);
    }
    return new CheckedBackup(path, manifest);
  }

  rows({ name }: DumpedTable): Readable {
    const unpacked = createGunzip();
    pipeline(createReadStream(join(this.path, tableFile(name))), unpacked).catch((error: Error) =>
      unpacked.destroy(error),
    );
    return unpacked;
  }

  /** Of a file of the home or of the configuration. */
  attributesOf(name: string): FileAttributes {
    return this.manifest.attributes?.[name] ?? CLOSED;
  }

  /** Paths of files below a folder of it. */
  filesBelow(folder: string): string[] {
    return Object.keys(this.manifest.sums).filter((name) => name.startsWith(`${folder}/`));
  }
}

function tableFile(name: string): string {
  return `database/${name}.copy.gz`;
}

async function sumOf(path: string): Promise<string> {
  const measured = new Measured();
  await stat(path).catch(() => {
    throw new Failure(`${path} is missing from the backup`);
  });
  measured.resume();
  await pipeline(createReadStream(path), measured);
  return measured.sum();
}
