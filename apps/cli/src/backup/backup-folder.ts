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
/** The checksums of the store's files, one a line as sha256sum writes them: there may be millions of files. */
export const STORE_SUMS = 'store.sha256';

/** The description of a backup. It is written last, so only a complete backup has one. */
export interface Manifest {
  format: number;
  proctor: string;
  database: DumpDescription;
  /** Whether the backup contains the files of the store; for a bucket, only the name of the bucket is recorded. */
  store: 'included' | 'left out' | { bucket: string };
  /** The number of runs whose rows name files that were not in the store. */
  filesMissing: number;
  /** Path → SHA-256 of every file except those of the store. */
  sums: Record<string, string>;
  /** Path → mode and owner of the file; absent in backups of earlier versions. */
  attributes?: Record<string, FileAttributes>;
}

interface FileAttributes {
  /** Permission bits. */
  mode: number;
  /** User and group by name; empty if the system had no name for the id. */
  user: string;
  group: string;
}

/** Attributes of a file that only its owner may read. */
const CLOSED: FileAttributes = { mode: 0o600, user: '', group: '' };

/** Counts the bytes that pass through and computes their checksum. */
class MeasuringStream extends Transform {
  private readonly hash = createHash('sha256');
  bytes = 0;

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    callback: (e: null, chunk: Buffer) => void,
  ): void {
    this.bytes += chunk.length;
    this.hash.update(chunk);
    callback(null, chunk);
  }

  sum(): string {
    return this.hash.digest('hex');
  }
}

/** A folder that a backup is written to. Only its owner may read it, because it contains secrets. */
export class BackupFolder {
  readonly sums: Record<string, string> = {};
  readonly attributes: Record<string, FileAttributes> = {};
  bytes = 0;

  constructor(readonly path: string) {}

  /** @returns the SHA-256 of the written file */
  async write(name: string, ...content: [Readable, ...Transform[]]): Promise<string> {
    const measured = new MeasuringStream();
    const target = join(this.path, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await pipeline([...content, measured, createWriteStream(target, { mode: 0o600, flush: true })]);
    this.bytes += measured.bytes;
    return measured.sum();
  }

  async saveFile(name: string, ...content: [Readable, ...Transform[]]): Promise<void> {
    this.sums[name] = await this.write(name, ...content);
  }

  /** Records the checksum of a file that is already in the folder. */
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

/** A complete backup. All its checksums are verified, except those of the store's files. */
export class CheckedBackup {
  private constructor(
    readonly path: string,
    readonly manifest: Manifest,
  ) {}

  /** @throws Failure if the folder is no complete backup, or a file was changed since */
  static async open(path: string): Promise<CheckedBackup> {
    const text = await readFile(join(path, MANIFEST), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
      throw new Failure(`${path} is not a complete backup: it has no ${MANIFEST}`);
    });
    const manifest = JSON.parse(text) as Manifest;
    if (manifest.format !== FORMAT)
      throw new Failure(`${path} has the format ${manifest.format}: a newer Proctor made it`);
    for (const [name, sum] of Object.entries(manifest.sums)) {
      const actual = await sumOf(join(path, name));
      if (actual !== sum)
        throw new Failure(`${name} of the backup is damaged: its SHA-256 is ${actual}, not ${sum}`);
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

  /** The mode and owner of a file of the home or of the configuration. */
  attributesOf(name: string): FileAttributes {
    return this.manifest.attributes?.[name] ?? CLOSED;
  }

  /** Paths of the files in a folder of the backup. */
  filesBelow(folder: string): string[] {
    return Object.keys(this.manifest.sums).filter((name) => name.startsWith(`${folder}/`));
  }
}

function tableFile(name: string): string {
  return `database/${name}.copy.gz`;
}

async function sumOf(path: string): Promise<string> {
  const measured = new MeasuringStream();
  await stat(path).catch(() => {
    throw new Failure(`${path} is missing from the backup`);
  });
  measured.resume();
  await pipeline(createReadStream(path), measured);
  return measured.sum();
}
