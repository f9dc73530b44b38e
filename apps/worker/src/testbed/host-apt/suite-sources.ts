import type { AptEntry } from './apt-entries';

/** A key that must have the same path on this machine and in the image, since the sources name it. */
interface SourceKey {
  path: string;
  /** The key, if it is part of the machine's sources and still has to be written; null: the file exists. */
  content: string | null;
}

/** The apt sources of an image. */
export interface SuiteSources {
  /** One-line format, deb and deb-src. */
  lines: string[];
  keys: SourceKey[];
}

/** Keyrings that every Debian system trusts. */
const DEFAULT_KEYRING = /^\/usr\/share\/keyrings\/(debian|ubuntu)-archive-keyring\.(gpg|pgp|asc)$/;

/**
 * The sources of a suite, derived from those of the machine. For the machine's own release: the release with its
 * updates and security pockets; for another suite: the same archive. Only sources with the component `main` count as an
 * archive of the distribution. Keys within the sources get a path below `keysPath`. Null if no source fits.
 */
export function suiteSources(
  entries: AptEntry[],
  hostRelease: string | null,
  suite: string,
  keysPath: string,
): SuiteSources | null {
  const archives = entries.filter((entry) => entry.components.includes('main'));
  const own =
    hostRelease === null ? [] : archives.flatMap((entry) => withSuites(entry, pockets(hostRelease)));
  if (suite === hostRelease || own.length === 0) {
    const ofSuite =
      suite === hostRelease ? own : archives.flatMap((entry) => withSuites(entry, pockets(suite)));
    return ofSuite.length > 0 ? sourcesOf(ofSuite, keysPath) : null;
  }
  const archive = own.find((entry) => entry.suites.includes(hostRelease as string));
  return archive ? sourcesOf([{ ...archive, suites: [suite] }], keysPath) : null;
}

function pockets(release: string): string[] {
  return [release, `${release}-updates`, `${release}-security`, `${release}/updates`];
}

function withSuites(entry: AptEntry, names: string[]): AptEntry[] {
  const suites = entry.suites.filter((suite) => names.includes(suite));
  return suites.length > 0 ? [{ ...entry, suites }] : [];
}

function sourcesOf(entries: AptEntry[], keysPath: string): SuiteSources {
  const keys: SourceKey[] = [];
  const lines = new Set<string>();
  for (const entry of entries) {
    const options = optionsOf(entry, keys, keysPath);
    for (const suite of entry.suites) {
      for (const uri of entry.uris) {
        for (const type of ['deb', 'deb-src']) {
          lines.add(`${type} ${options}${uri} ${suite} ${entry.components.join(' ')}`);
        }
      }
    }
  }
  return { lines: [...lines], keys };
}

/** The options in brackets followed by a blank, or nothing. Adds the keys that they name to `keys`. */
function optionsOf(entry: AptEntry, keys: SourceKey[], keysPath: string): string {
  const { 'signed-by': signedBy, ...others } = entry.options;
  const options = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  const keyOption = signedBy === undefined ? null : signedByOption(signedBy, keys, keysPath);
  if (keyOption) options.unshift(`signed-by=${keyOption}`);
  return options.length > 0 ? `[${options.join(' ')}] ` : '';
}

/** Null when the default keyring is enough. */
function signedByOption(value: string, keys: SourceKey[], keysPath: string): string | null {
  if (value.includes('BEGIN PGP')) {
    const path = `${keysPath}/source-${keys.length}.asc`;
    keys.push({ path, content: `${value.trim()}\n` });
    return path;
  }
  const names = value.split(/[\s,]+/).filter((name) => name !== '' && !DEFAULT_KEYRING.test(name));
  for (const path of names.filter((name) => name.startsWith('/'))) {
    if (!keys.some((key) => key.path === path)) keys.push({ path, content: null });
  }
  return names.length > 0 ? names.join(',') : null;
}
