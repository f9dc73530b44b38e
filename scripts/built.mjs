// Builds dist when it is missing or older than a source.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
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
  if (isBuilt()) return null;
  requireWritable(
    builtAt === 0 ? 'the programs are not built yet' : 'the programs are older than their sources',
  );
  // Two commands may find that at the same time: the second waits, and finds what the first has built.
  const script = join(root, 'scripts/build.mjs');
  const build = spawnSync('/usr/bin/flock', [script, process.execPath, script, '--if-older'], {
    stdio: 'inherit',
  });
  if (build.status !== 0) throw new Error('the build failed: see its output above');
  return (Date.now() - startedAt.getTime()) / 1000;
}

export function isBuilt() {
  const builtAt = changedAt(mark);
  return SOURCES.every((path) => newest(join(root, path)) < builtAt);
}

/** @param startedAt the start of the build: a source that was saved during the build is newer */
export function markAsBuilt(startedAt) {
  writeFileSync(mark, '');
  utimesSync(mark, startedAt, startedAt);
}

/** Builds as `ensureBuilt` does, for a command: if that fails, prints the reason and exits. */
export function builtOrExit() {
  try {
    return ensureBuilt();
  } catch (error) {
    console.error(`proctor: ${error.message}`);
    process.exit(1);
  }
}

/** @throws with what to type where this user may not build */
function requireWritable(why) {
  try {
    for (const path of [root, join(root, 'dist')]) if (existsSync(path)) accessSync(path, constants.W_OK);
  } catch (error) {
    const reason = error.code === 'EROFS' ? 'is read-only' : 'may not be written to by this user';
    throw new Error(`${why}, and ${root} ${reason}: type npm run build there as its owner`, { cause: error });
  }
}

/** Milliseconds of the latest change at or below a path. A folder's own time changes when files are removed. */
function newest(path) {
  const entries = statSync(path).isDirectory() ? readdirSync(path) : [];
  return Math.max(changedAt(path), ...entries.map((name) => newest(join(path, name))));
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
