import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES, schemaOf } from '@proctor/config';
import { EXIT, Failure } from '../failure';
import { printNotice, write } from '../output/print';
import { projectFolder } from '../project';

/** Where a package of Debian has what lies in the project's docs. */
const INSTALLED_DOCS = '/usr/share/doc/proctor/docs';

/** Prints the JSON Schema of one of the configuration's files. @throws Failure for any other name */
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
