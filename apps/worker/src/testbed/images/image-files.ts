import { chmod, mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What is known of an image on disk, kept beside it as JSON. */
export interface ImageRecord {
  suite: string;
  arch: string;
  /** Milliseconds since the epoch. */
  builtAt: number;
  /** How it was built: another value means that it would be built differently today. */
  recipe: string;
  /** What the release that built it gives to each image of this kind; releases that recorded none gave less. */
  definition?: string;
  /** The state of the archive before it was built; null: it could not be asked. */
  release: string | null;
  /** The boot of this machine during which a test was last seen to pass on it, and the mode that it passed in. */
  provedBoot: string;
  mode: string;
}

const FRESH = '.new';

/** The folder of one backend's images: `{suite}-{arch}.{extension}`, `.json` and `.sources.gz` each. */
export class ImageFiles {
  constructor(
    private readonly path: string,
    private readonly extension: string,
  ) {}

  imagePath(suite: string, arch: string): string {
    return join(this.path, `${suite}-${arch}.${this.extension}`);
  }

  /** Where a new image grows, beside the one in use. */
  freshPath(suite: string, arch: string): string {
    return this.imagePath(suite, arch) + FRESH;
  }

  /** Of the packages that its suite has; there is none where they could not be read. */
  sourceNamesPath(suite: string, arch: string): string {
    return join(this.path, `${suite}-${arch}.sources.gz`);
  }

  freshSourceNamesPath(suite: string, arch: string): string {
    return this.sourceNamesPath(suite, arch) + FRESH;
  }

  /** The images that are there; what an interrupted build left is removed. */
  async load(): Promise<ImageRecord[]> {
    await mkdir(this.path, { recursive: true });
    await chmod(this.path, 0o755);
    for (const name of await readdir(this.path)) {
      if (name.endsWith(FRESH)) await rm(join(this.path, name), { force: true });
    }
    return this.list();
  }

  /** The images that are there, also while others are built. */
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

  /** The new image takes the old one's place; runs that have begun keep the old one. */
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

  /** What is known of an image that stays changes. */
  async update(record: ImageRecord): Promise<void> {
    const json = await this.writeRecord(record);
    await rename(json + FRESH, json);
  }

  async removeFresh(suite: string, arch: string): Promise<void> {
    await rm(this.freshPath(suite, arch), { force: true });
    await rm(this.freshSourceNamesPath(suite, arch), { force: true });
  }

  /** Beside the record in use. Returns that one's path. */
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
