import { constants, type Stats } from 'node:fs';
import { access, lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ArtifactsIndexer, blockGzip, TarMembers, type ArtifactsIndex } from '@proctor/result-files';
import { create } from 'tar';
import { writeHashed, type WrittenFile } from './written-file';

interface Entry {
  path: string;
  /** Bytes; 0 for what is no file. */
  size: number;
}

/** In the archive when something was left out of it: one line each. */
const LEFT_OUT = 'left-out.txt';

export interface PackedArtifacts extends WrittenFile {
  index: ArtifactsIndex;
}

/**
 * Packs the files and folders of an output folder but its log, the same bytes for the same content, so that whoever unpacks them is
 * safe: tests choose names and modes. Files that may not be read, have a name that cannot be told to people, or are links or
 * devices, and over `bytesMax` of content the largest ones, are left out and listed in left-out.txt.
 */
export async function packArtifacts(
  folder: string,
  target: string,
  bytesMax: number,
): Promise<PackedArtifacts> {
  const leftOut: string[] = [];
  const entries: Entry[] = [];
  await addEntries(folder, '', entries, leftOut);
  const fitting = removeLargest(entries, bytesMax, leftOut);
  const names = fitting.map((entry) => entry.path).filter((path) => path !== 'log' && path !== LEFT_OUT);
  if (leftOut.length > 0) {
    await rm(join(folder, LEFT_OUT), { recursive: true, force: true });
    await writeFile(join(folder, LEFT_OUT), leftOut.sort().join('\n') + '\n', { flag: 'wx' });
    names.push(LEFT_OUT);
  }
  const archive = create(
    // A link of its own for each further name of a file would be a member that no list has.
    {
      cwd: folder,
      portable: true,
      noMtime: true,
      noDirRecurse: true,
      statCache: await plainStats(folder, names),
    },
    // A leading @ would be read as the name of an archive; with nothing to pack, the folder itself is the content.
    names.length > 0 ? names.sort().map((name) => `./${name}`) : ['.'],
  );
  const indexer = new ArtifactsIndexer();
  const members = new TarMembers((member) => indexer.addMember(member));
  const packed = blockGzip(archive, (bytes, block) => {
    if (block) indexer.addBlock(block);
    members.add(bytes);
  });
  return { ...(await writeHashed(target, packed)), index: indexer.end() };
}

/** The largest go first until the rest fits. */
export function removeLargest(entries: Entry[], bytesMax: number, leftOut: string[]): Entry[] {
  const bySize = [...entries].sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1));
  let total = entries.reduce((sum, entry) => sum + (entry.path === 'log' ? 0 : entry.size), 0);
  const dropped = new Set<string>();
  for (const { path, size } of bySize) {
    if (total <= bytesMax) break;
    if (path === 'log' || size === 0) continue;
    total -= size;
    dropped.add(path);
    leftOut.push(`${path}: ${size} bytes, too large`);
  }
  return entries.filter((entry) => !dropped.has(entry.path));
}

/** Adds what is below a folder to one of the lists. */
async function addEntries(folder: string, below: string, entries: Entry[], leftOut: string[]): Promise<void> {
  for (const name of await readdir(join(folder, below)).catch(noneIfMissing)) {
    const path = below ? `${below}/${name}` : name;
    const status = await lstat(join(folder, path)).catch(unlessUnreachable);
    if (!isPlainName(name)) {
      leftOut.push(`${JSON.stringify(path)}: a character of its name cannot be served`);
    } else if (!status) {
      leftOut.push(`${path}: its name is too long or no text`);
    } else if (status.isSymbolicLink()) {
      leftOut.push(`${path}: a link`);
    } else if (!status.isFile() && !status.isDirectory()) {
      leftOut.push(`${path}: neither a file nor a folder`);
    } else if (!(await mayRead(join(folder, path), status.isDirectory()))) {
      leftOut.push(`${path}: not readable`);
    } else {
      entries.push({ path, size: status.isFile() ? status.size : 0 });
      if (status.isDirectory()) await addEntries(folder, path, entries, leftOut);
    }
  }
}

/** A backslash divides folders elsewhere; control characters and such that show nothing deceive whoever reads the name. */
function isPlainName(name: string): boolean {
  return !/[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name) && name.isWellFormed();
}

/** What the archive says of its members: nothing of owners, nothing but whether they may be executed, one name for each. */
async function plainStats(folder: string, names: string[]): Promise<Map<string, Stats>> {
  const stats = new Map<string, Stats>();
  for (const name of names) {
    const path = resolve(folder, name);
    const status = await lstat(path);
    const isExecutable = status.isDirectory() || (status.mode & 0o100) !== 0;
    status.mode = (status.mode & constants.S_IFMT) | (isExecutable ? 0o755 : 0o644);
    status.nlink = 1;
    stats.set(path, status);
  }
  return stats;
}

/** A runner that could not begin has no output folder. */
function noneIfMissing(error: NodeJS.ErrnoException): [] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

/** A name that is no text was changed when it was read, and so is of nothing that exists. */
function unlessUnreachable(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT' && error.code !== 'ENAMETOOLONG') throw error;
  return null;
}

async function mayRead(path: string, isFolder: boolean): Promise<boolean> {
  return access(path, isFolder ? constants.R_OK | constants.X_OK : constants.R_OK).then(
    () => true,
    () => false,
  );
}
