import { resolve } from 'node:path';
import { ConfigurationError } from '@proctor/config';
import { configurationFolder, readConfiguration } from './configuration';

/**
 * Reads a configuration folder as the service would: `folder`, else `PROCTOR_CONFIG`, else the one of this program.
 * Each problem is a line on standard output: file, line, key and what is wrong.
 * @throws when there is any
 */
export async function checkConfiguration(folder: string | undefined): Promise<void> {
  const path = folder === undefined ? configurationFolder() : resolve(folder);
  try {
    await readConfiguration(path);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { problems } = error;
    for (const problem of problems) console.log(problem);
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    throw new Error(`${path} has ${count}`, { cause: error });
  }
  console.error(`${path} is in order`);
}
