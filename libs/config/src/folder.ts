import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from './yaml-file';

/** The files of a configuration folder; each may be missing. */
export const FILES = ['proctor.yaml', 'worker.yaml', 'apt-sources.yaml', 'reject-list.yaml'] as const;
export type FileName = (typeof FILES)[number];

/** The text of a file, empty when it does not exist, or why it cannot be read. */
type FileContent = { text: string } | { problem: string };

/** The content of a configuration folder at one moment. */
export class FolderContent {
  private constructor(
    readonly folder: string,
    private readonly files: ReadonlyMap<FileName, FileContent>,
  ) {}

  /** Never rejects: `textOf` throws for what cannot be read. */
  static async read(folder: string): Promise<FolderContent> {
    const isFolder = await stat(folder).then(
      (entry) => entry.isDirectory(),
      () => false,
    );
    const contents = FILES.map(async (name): Promise<[FileName, FileContent]> => {
      if (!isFolder) return [name, { problem: `${folder}: is not a folder` }];
      return [name, await contentOf(join(folder, name))];
    });
    return new FolderContent(folder, new Map(await Promise.all(contents)));
  }

  pathOf(name: FileName): string {
    return join(this.folder, name);
  }

  /** @throws ConfigurationError when the file is there and cannot be read as text */
  textOf(name: FileName): string {
    const content = this.files.get(name) ?? { text: '' };
    if ('problem' in content) throw new ConfigurationError([content.problem]);
    return content.text;
  }

  equals(other: FolderContent): boolean {
    return FILES.every((name) => isSame(this.files.get(name), other.files.get(name)));
  }

  /** Whether a file that had content is now empty, gone or unreadable: an editor may be about to write it. */
  lacksFilesOf(earlier: FolderContent): boolean {
    return FILES.some((name) => holdsText(earlier.files.get(name)) && !holdsText(this.files.get(name)));
  }
}

async function contentOf(path: string): Promise<FileContent> {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { text: '' };
    return { problem: `${path}: ${code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8' : message}` };
  }
}

function isSame(one?: FileContent, other?: FileContent): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function holdsText(content: FileContent | undefined): boolean {
  return content !== undefined && 'text' in content && content.text.trim() !== '';
}
