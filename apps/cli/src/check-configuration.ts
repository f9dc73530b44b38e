import { join, resolve } from 'node:path';
import { ConfigurationError, loadConfiguration } from '@proctor/config';
import { projectFolder } from './project';

/**
 * Reads a configuration folder as the service would: `folder`, else `PROCTOR_CONFIG`, else the one of this program.
 * Each problem is a line on standard output: file, line, key and what is wrong.
 * @throws when there is any
 */
export async function checkConfiguration(folder: string | undefined): Promise<void> {
  const path = resolve(folder ?? process.env['PROCTOR_CONFIG'] ?? join(projectFolder(), 'config'));
  try {
    await loadConfiguration({ ...process.env, PROCTOR_CONFIG: path });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { problems } = error;
    for (const problem of problems) console.log(problem);
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    throw new Error(`${path} has ${count}`, { cause: error });
  }
  console.error(`${path} is in order`);
}
