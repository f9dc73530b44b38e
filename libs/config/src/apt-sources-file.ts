import { isAptLine, isWord } from '@proctor/contracts';
import type { ExtraAptSource } from './configuration';
import { ConfigurationError, type YamlFile } from './yaml-file';

export const KEYS = ['lines', 'signingKey', 'users'];

/**
 * config/apt-sources.yaml: name → lines, signingKey, users.
 * @throws ConfigurationError listing every problem
 */
export function readAptSources(file: YamlFile): ExtraAptSource[] {
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
  if (problems.length > 0) throw new ConfigurationError(problems);
  return sources;
}

function readSource(
  file: YamlFile,
  name: string,
  entry: Record<string, unknown>,
  problems: string[],
): ExtraAptSource {
  for (const key of Object.keys(entry)) {
    if (!KEYS.includes(key))
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
  if (
    signingKey !== undefined &&
    !(typeof signingKey === 'string' && signingKey.includes('PGP PUBLIC KEY BLOCK'))
  ) {
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

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
