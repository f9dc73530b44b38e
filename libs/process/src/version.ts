import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of the product, from its package.json. */
export const VERSION = versionAbove(__dirname);

function versionAbove(folder: string): string {
  const { name, version } = contentOf(join(folder, 'package.json'));
  if (name === 'proctor' && version !== undefined) return version;
  if (dirname(folder) === folder) throw new Error(`no package.json of Proctor is above ${__dirname}`);
  return versionAbove(dirname(folder));
}

function contentOf(path: string): { name?: string; version?: string } {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version?: string };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
