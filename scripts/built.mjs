// Builds dist when it is missing or older than a source.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['apps', 'libs', '.swcrc', 'package-lock.json', 'scripts/build.mjs', 'scripts/client.mjs'];
/** Written last, so that an interrupted build counts for nothing. */
const mark = join(root, 'dist/.built');

/** @returns the seconds that the build took; null when there was nothing to do */
export function ensureBuilt() {
  const startedAt = new Date();
  const builtAt = changedAt(mark);
  if (SOURCES.every((path) => newest(join(root, path)) < builtAt)) return null;
  const build = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  if (build.status !== 0) throw new Error('the build failed');
  writeFileSync(mark, '');
  // A source saved during the build is newer than it.
  utimesSync(mark, startedAt, startedAt);
  return (Date.now() - startedAt.getTime()) / 1000;
}

/** Milliseconds of the latest change at or below a path. A folder's own time tells of removed files. */
function newest(path) {
  const entries = statSync(path).isDirectory() ? readdirSync(path) : [];
  return Math.max(changedAt(path), ...entries.map((name) => newest(join(path, name))));
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
