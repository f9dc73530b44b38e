import { constants, type Stats } from 'node:fs';
import { access, lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ArtifactsIndexer, blockGzip, TarMembers, type ArtifactsIndex } from '@proctor/result-files';
import { escapeLine } from '@proctor/process';
import { create } from 'tar';
import { writeHashed, type WrittenFile } from './written-file';

interface Entry {
  path: string;
  /** Bytes; 0 for anything but a file. */
  size: number;
}

/** A file in the archive with one line for each entry that was left out. */
const LEFT_OUT = 'left-out.txt';

interface PackedArtifacts extends WrittenFile {
  index: ArtifactsIndex;
}

/**
 * Packs the files and folders of an output folder, without its log; the same content gives the same bytes. Tests choose
 * names and modes, so the archive is made safe to unpack. These entries are left out and listed in left-out.txt:
 * unreadable files, names that cannot be shown to people, links and devices, and the largest files when the content
 * exceeds `bytesMax`.
 */
export async function packArtifacts(
  folder: string,
  target: string,
  bytesMax: number,
): Promise<PackedArtifacts> {
  await rm(join(folder, LEFT_OUT), { recursive: true, force: true });
  const leftOut: string[] = [];
  const entries: Entry[] = [];
  await addEntries(folder, '', entries, leftOut);
  const fitting = removeLargest(entries, bytesMax, leftOut);
  const names = fitting.map((entry) => entry.path).filter((path) => path !== 'log');
  if (leftOut.length > 0) {
    await writeFile(join(folder, LEFT_OUT), leftOut.sort().join('\n') + '\n', { flag: 'wx' });
    names.push(LEFT_OUT);
  }
  const archive = create(
    // A hard link for a further name of a file would be a member that is in no list.
    {
      cwd: folder,
      portable: true,
      noMtime: true,
      noDirRecurse: true,
      statCache: await plainStats(folder, names),
    },
    // A leading @ would be read as the name of an archive. With nothing to pack, the folder itself is the content.
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

/** Removes the largest entries until the rest fits. */
function removeLargest(entries: Entry[], bytesMax: number, leftOut: string[]): Entry[] {
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

/** Adds each entry below a folder to one of the lists. */
async function addEntries(folder: string, below: string, entries: Entry[], leftOut: string[]): Promise<void> {
  for (const name of await readdir(join(folder, below)).catch(noneIfMissing)) {
    const path = below ? `${below}/${name}` : name;
    const status = await lstat(join(folder, path)).catch(unlessUnreachable);
    if (!isPlainName(name)) {
      leftOut.push(`${escapeLine(JSON.stringify(path))}: a character of its name cannot be served`);
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

/**
 * A backslash separates folders on other systems; control characters and invisible ones deceive the reader of a name.
 */
function isPlainName(name: string): boolean {
  return !/[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name) && name.isWellFormed();
}

/** The metadata of the members: no owners, of the modes only whether they may be executed, one name for each. */
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

/** A runner that could not start has no output folder. */
function noneIfMissing(error: NodeJS.ErrnoException): [] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

/** A name that is no valid text was changed when it was read, so no file has it. */
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
