import { resolve } from 'node:path';
import { loadSettings, type Setting } from '@proctor/config';
import { configurationFolder } from '../configuration';
import { type OutputOptions, printAnswer, printTable } from '../output/print';

/**
 * Prints each value in use, with the file and line where it stands, the environment, or that it is a default; no secrets.
 * @throws ConfigurationError when no process would take the folder
 */
export async function printConfiguration(folder: string | undefined, options: OutputOptions): Promise<void> {
  const path = folder === undefined ? configurationFolder() : resolve(folder);
  const settings = await loadSettings({ ...process.env, PROCTOR_CONFIG: path });
  printAnswer({ folder: path, settings }, options, () =>
    printTable(
      settings,
      [
        { head: 'KEY', of: ({ file, key }) => (file === 'environment' ? key : `${file}: ${key}`) },
        { head: 'VALUE', of: ({ value }) => value, isCut: true },
        { head: 'ORIGIN', of: originOf },
      ],
      'there are no values',
    ),
  );
}

function originOf({ file, line, origin }: Setting): string {
  return origin === 'file' && line !== null ? `${file}:${line}` : origin;
}
