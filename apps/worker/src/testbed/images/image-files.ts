import { chmod, mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The record of an image on disk; it is a JSON file in the folder of the image. */
export interface ImageRecord {
  suite: string;
  arch: string;
  /** Milliseconds since the epoch. */
  builtAt: number;
  /** How it was built: another value means that it would be built differently now. */
  recipe: string;
  /** The definition of this kind of image in the release of Proctor that built it; absent for older releases. */
  definition?: string;
  /** The state of the archive before the build; null: not known. */
  release: string | null;
  /** The boot of this machine in which a test last passed on it, and the mode in which it passed. */
  provedBoot: string;
  mode: string;
}

const FRESH = '.new';

/** The folder of one backend's images: `{suite}-{arch}.{extension}`, `.json` and `.sources.gz` for each. */
export class ImageFiles {
  constructor(
    private readonly path: string,
    private readonly extension: string,
  ) {}

  imagePath(suite: string, arch: string): string {
    return join(this.path, `${suite}-${arch}.${this.extension}`);
  }

  /** Path of an image that is being built, in the folder of the one in use. */
  freshPath(suite: string, arch: string): string {
    return this.imagePath(suite, arch) + FRESH;
  }

  /** Path of the list of its suite's packages; the file may be missing. */
  sourceNamesPath(suite: string, arch: string): string {
    return join(this.path, `${suite}-${arch}.sources.gz`);
  }

  freshSourceNamesPath(suite: string, arch: string): string {
    return this.sourceNamesPath(suite, arch) + FRESH;
  }

  /** Lists the images; files of an interrupted build are removed. */
  async load(): Promise<ImageRecord[]> {
    await mkdir(this.path, { recursive: true });
    await chmod(this.path, 0o755);
    for (const name of await readdir(this.path)) {
      if (name.endsWith(FRESH)) await rm(join(this.path, name), { force: true });
    }
    return this.list();
  }

  /** Lists the images, also while others are being built. */
  async list(): Promise<ImageRecord[]> {
    const records: ImageRecord[] = [];
    const names = await readdir(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const name of names.filter((name) => name.endsWith('.json'))) {
      const record = JSON.parse(await readFile(join(this.path, name), 'utf8')) as ImageRecord;
      const isThere = await stat(this.imagePath(record.suite, record.arch)).then(
        () => true,
        () => false,
      );
      if (isThere) records.push(record);
    }
    return records;
  }

  /** Replaces the old image by the new one; running attempts keep the old one. */
  async replace(record: ImageRecord): Promise<void> {
    const image = this.imagePath(record.suite, record.arch);
    const json = await this.writeRecord(record);
    await rename(image + FRESH, image);
    await rename(json + FRESH, json);
    const names = this.sourceNamesPath(record.suite, record.arch);
    await rename(names + FRESH, names).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      await rm(names, { force: true });
    });
  }

  /** Updates the record of an image. */
  async update(record: ImageRecord): Promise<void> {
    const json = await this.writeRecord(record);
    await rename(json + FRESH, json);
  }

  async removeFresh(suite: string, arch: string): Promise<void> {
    await rm(this.freshPath(suite, arch), { force: true });
    await rm(this.freshSourceNamesPath(suite, arch), { force: true });
  }

  /** Writes a new record next to the one in use, and returns the path of the one in use. */
  private async writeRecord(record: ImageRecord): Promise<string> {
    const json = join(this.path, `${record.suite}-${record.arch}.json`);
    const file = await open(json + FRESH, 'w');
    try {
      await file.writeFile(JSON.stringify(record));
      await file.sync();
    } finally {
      await file.close();
    }
    return json;
  }
}
