import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FILES, type Setting, checkFolder, loadSettings, schemaOf } from '@proctor/config';
import { configurationFolder } from '../configuration';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printAnswer, printNotice, printTable, write } from '../output/print';
import { projectFolder } from '../project';

/**
 * Checks a configuration folder as the service would: `folder`, else `PROCTOR_CONFIG`, else the folder of this program.
 * Prints each problem on a line: file, line, key and what is wrong; then each warning in the same form.
 * @throws Failure if there is a problem, or with `strict` a warning
 */
export async function checkConfiguration(
  folder: string | undefined,
  { strict }: { strict: boolean },
): Promise<void> {
  const path = folder === undefined ? configurationFolder() : resolve(folder);
  const { problems, warnings } = await checkFolder({ ...process.env, PROCTOR_CONFIG: path });
  for (const problem of problems) write(`${problem}\n`);
  for (const warning of warnings) write(`warning: ${warning}\n`);
  const worth = [amountOf(problems, 'problem'), amountOf(warnings, 'warning')].filter(Boolean).join(' and ');
  if (problems.length > 0 || (strict && warnings.length > 0)) throw new Failure(`${path} has ${worth}`);
  printNotice(`${path} is in order${worth && `, with ${worth}`}`);
}

function amountOf({ length }: string[], what: string): string {
  if (length === 0) return '';
  return length === 1 ? `a ${what}` : `${length} ${what}s`;
}

/**
 * Prints each value in use and its source: file and line, the environment, or the default. Secrets are not printed.
 * @throws ConfigurationError if the configuration is not valid
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

/** The folder in which the Debian package installs the project's docs. */
const INSTALLED_DOCS = '/usr/share/doc/proctor/docs';

/** Prints the JSON Schema of a configuration file. @throws Failure if there is no configuration file with this name */
export async function printSchema(name: string): Promise<void> {
  const file = FILES.find((each) => each === name);
  if (!file) throw new Failure(`FILE: ${JSON.stringify(name)} is none of ${FILES.join(', ')}`, EXIT.usage);
  const page = await findPage([join(projectFolder(), 'docs'), INSTALLED_DOCS]);
  if (page === null)
    printNotice('the keys have no descriptions: docs/configuration.md is not on this machine');
  write(`${JSON.stringify(schemaOf(file, page ?? ''), null, 2)}\n`);
}

async function findPage([folder, ...others]: string[]): Promise<string | null> {
  if (folder === undefined) return null;
  try {
    return await readFile(join(folder, 'configuration.md'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return findPage(others);
    throw error;
  }
}
