import type { RejectList } from './configuration';
import { ConfigurationError, type YamlFile } from './yaml-file';

const LEVELS = ['package', 'suite', 'architecture', 'version'];

/**
 * config/reject-list.yaml: package → suite or * → architecture or * → version or * → "".
 * @throws ConfigurationError naming the key that breaks the shape
 */
export function readRejectList(file: YamlFile): RejectList {
  const values = file.values() ?? {};
  const problems: string[] = [];
  check(values, []);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return values as RejectList;

  function check(value: unknown, key: string[]): void {
    if (key.length === LEVELS.length) {
      if (value !== '') problems.push(file.problem(key, 'the value of a version is an empty string'));
      return;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      problems.push(file.problem(key, `a mapping from each ${LEVELS[key.length]} is expected`));
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      if (key.length === 0 && name === '*') problems.push(file.problem([name], 'a package cannot be *'));
      check(inner, [...key, name]);
    }
  }
}
