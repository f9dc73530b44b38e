import { isArchitecture, isPackageName, isWord, jsonBytes, NAME_PATTERNS } from '@proctor/contracts';
import type { RejectList } from './configuration';
import type { Fragment } from './in-schema';
import { ConfigurationError, type YamlFile } from './yaml-file';

/** Prefixes of names: `rust-*`. To stop all packages, pause a queue. */
const BEGINNING = /^[a-z0-9][a-z0-9+.-]*\*$/;
const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+:~-]*$/;

/** Limit of all versions of one package, in a message to a worker: a lease names those of its suite and architecture. */
const REJECTED_VERSIONS_BYTES_MAX = 64 * 1024;

/** The levels of the list; a name that cannot match is a mistake. */
const LEVELS: { what: string; isName: (name: string) => boolean; pattern: string }[] = [
  {
    what: 'package',
    isName: (name) => isPackageName(name) || BEGINNING.test(name),
    pattern: `${NAME_PATTERNS.packageName}|${BEGINNING.source}`,
  },
  { what: 'suite', isName: (name) => name === '*' || isWord(name), pattern: NAME_PATTERNS.word },
  {
    what: 'architecture',
    isName: (name) => name === '*' || isArchitecture(name),
    pattern: NAME_PATTERNS.architecture,
  },
  { what: 'version', isName: (name) => name === '*' || VERSION.test(name), pattern: VERSION.source },
];

/**
 * config/reject-list.yaml: package, or the beginning of names with * → suite or * → architecture or * → version or * → "".
 * @throws ConfigurationError naming every key that breaks the shape
 */
export function readRejectList(file: YamlFile): RejectList {
  // The plain YAML schema reads a file of comments as an empty text.
  const values = file.values() || {};
  const beginnings = (Object.entries(values) as [string, unknown][]).filter(([name]) => name.endsWith('*'));
  const problems: string[] = [];
  check(values, []);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return values as RejectList;

  function tooMany(name: string, suites: unknown): string[] {
    const together = name.endsWith('*')
      ? []
      : beginnings.filter(([beginning]) => name.startsWith(beginning.slice(0, -1)));
    const all = [suites, ...together.map(([, inner]) => inner)].flatMap((inner) => versionsIn(inner, 1));
    const bytes = jsonBytes([...new Set(all)]);
    if (bytes <= REJECTED_VERSIONS_BYTES_MAX) return [];
    const text = `its versions have ${bytes} bytes, those of a package may have at most ${REJECTED_VERSIONS_BYTES_MAX}`;
    return [file.problem([name], text)];
  }

  function check(value: unknown, key: string[]): void {
    const level = LEVELS[key.length];
    if (!level) {
      if (value !== '') problems.push(file.problem(key, 'the value of a version is an empty string'));
      return;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      problems.push(file.problem(key, `a mapping from each ${level.what} is expected`));
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      const path = [...key, name];
      if (!level.isName(name)) problems.push(file.problem(path, `is not a valid ${level.what}`));
      check(inner, path);
      if (level.what === 'package') problems.push(...tooMany(name, inner));
    }
  }
}

/** The keys of the last level below a value of level `depth`, whatever shape it has. */
function versionsIn(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if (depth === LEVELS.length - 1) return Object.keys(value);
  return Object.values(value).flatMap((inner) => versionsIn(inner, depth + 1));
}

/** The shape of the file, for editors. For them a missing value is null; we read it as an empty text. */
export function rejectListSchema(): Fragment {
  const levels = [...LEVELS].reverse();
  return levels.reduce<Fragment>(
    (below, { what, pattern }) => ({
      description: what === 'package' ? 'Packages that are not tested.' : `Name of each ${what}, or "*".`,
      type: 'object',
      propertyNames: { pattern: what === 'package' ? pattern : `^\\*$|${pattern}` },
      additionalProperties: below,
    }),
    { enum: ['', null] },
  );
}
