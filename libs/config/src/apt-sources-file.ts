import { isAptLine, isWord, jsonBytes, NAME_PATTERNS } from '@proctor/contracts';
import type { ExtraAptSource } from './configuration';
import type { Fragment } from './in-schema';
import { ConfigurationError, type YamlFile } from './yaml-file';

export const KEYS = ['lines', 'signingKey', 'users'] as const;
const KEY_MARK = 'PGP PUBLIC KEY BLOCK';

/** Limit of the lines and the key of one source, in a message to a worker. */
const APT_SOURCE_BYTES_MAX = 128 * 1024;
/** Limit of all sources that one run may list: its lease must fit into one message together with its other fields. */
const APT_SOURCES_BYTES_MAX = 320 * 1024;

/**
 * config/apt-sources.yaml: name → lines, signingKey, users.
 * @param perRunMax names of sources that a run may list
 * @throws ConfigurationError listing every problem
 */
export function readAptSources(file: YamlFile, perRunMax: number): ExtraAptSource[] {
  const values = file.values() ?? {};
  const problems: string[] = [];
  if (!isMapping(values))
    throw new ConfigurationError([file.problem([], 'a mapping of source names is expected')]);
  const sources = Object.entries(values).map(([name, entry]) => {
    if (!isWord(name)) problems.push(file.problem([name], 'is not a valid source name'));
    if (!isMapping(entry)) {
      problems.push(file.problem([name], 'a mapping with the key lines is expected'));
      return { name, lines: [] };
    }
    return readSource(file, name, entry, problems);
  });
  problems.push(...tooLarge(file, sources, perRunMax));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return sources;
}

/** @returns a problem for each source, and for the largest together, that does not fit into a lease */
function tooLarge(file: YamlFile, sources: ExtraAptSource[], perRunMax: number): string[] {
  const sizes = sources
    .map(({ name, lines, signingKey }) => ({ name, bytes: jsonBytes({ name, lines, signingKey }) }))
    .sort((a, b) => b.bytes - a.bytes);
  const single = sizes.filter(({ bytes }) => bytes > APT_SOURCE_BYTES_MAX);
  if (single.length > 0) {
    return single.map(({ name, bytes }) => {
      const text = `its lines and key have ${bytes} bytes, a source may have at most ${APT_SOURCE_BYTES_MAX}`;
      return file.problem([name], text);
    });
  }
  const listed = sizes.slice(0, perRunMax);
  const bytes = listed.reduce((sum, each) => sum + each.bytes, 0);
  if (bytes <= APT_SOURCES_BYTES_MAX) return [];
  const text =
    `a run may list ${listed.length} sources (api.extraAptSourcesMax), and the largest have ${bytes} bytes together; ` +
    `a lease has room for ${APT_SOURCES_BYTES_MAX}: shorten the keys, or let a run list fewer`;
  return [file.problem([], text)];
}

function readSource(
  file: YamlFile,
  name: string,
  entry: Record<string, unknown>,
  problems: string[],
): ExtraAptSource {
  for (const key of Object.keys(entry)) {
    if (!KEYS.some((each) => each === key))
      problems.push(file.problem([name, key], `unknown key; known are ${KEYS.join(', ')}`));
  }
  const { lines, signingKey, users } = entry;
  if (!isStrings(lines) || lines.length === 0) {
    problems.push(file.problem([name, 'lines'], 'a list of apt source lines is expected'));
  } else {
    lines.forEach((line, index) => {
      if (!isAptLine(line))
        // The line itself may hold a password.
        problems.push(file.problem([name, 'lines', index], 'is not an apt source line'));
    });
  }
  if (signingKey !== undefined && !(typeof signingKey === 'string' && signingKey.includes(KEY_MARK))) {
    problems.push(file.problem([name, 'signingKey'], 'an ASCII-armoured OpenPGP public key is expected'));
  }
  if (users !== undefined && !isStrings(users)) {
    problems.push(file.problem([name, 'users'], 'a list of user names is expected'));
  }
  return {
    name,
    lines: isStrings(lines) ? lines : [],
    ...(typeof signingKey === 'string' ? { signingKey } : {}),
    ...(isStrings(users) ? { users } : {}),
  };
}

/** The shape of the file, for editors. */
export function aptSourcesSchema(): Fragment {
  const properties = {
    lines: {
      description: 'Lines of sources.list(5), in one-line style.',
      type: 'array',
      minItems: 1,
      items: { type: 'string', pattern: NAME_PATTERNS.aptLine },
    },
    signingKey: {
      description: 'The ASCII-armoured public key that signs the source.',
      type: 'string',
      pattern: KEY_MARK,
    },
    users: {
      description: 'Who may list the source; all users when left out.',
      type: 'array',
      items: { type: 'string' },
    },
  } satisfies Record<(typeof KEYS)[number], Fragment>;
  const source = { type: 'object', additionalProperties: false, required: ['lines'], properties };
  return {
    type: 'object',
    propertyNames: { pattern: NAME_PATTERNS.word },
    additionalProperties: { description: 'Name of a source → what it holds.', ...source },
  };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
