import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder that contains package.json, whether this code runs from the sources or from dist. */
export function projectFolder(from = __dirname): string {
  if (existsSync(join(from, 'package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error('package.json is not above this program');
  return projectFolder(parent);
}
