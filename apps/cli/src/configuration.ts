import { join, resolve } from 'node:path';
import { loadConfiguration, type Configuration } from '@proctor/config';
import { projectFolder } from './project';

/** The folder that `PROCTOR_CONFIG` names, else the one of this program, which need not be where one stands. */
export function configurationFolder(): string {
  return resolve(process.env['PROCTOR_CONFIG'] ?? join(projectFolder(), 'config'));
}

/**
 * Reads a configuration folder as the service would.
 * @throws ConfigurationError listing every problem
 */
export function readConfiguration(folder = configurationFolder()): Promise<Configuration> {
  return loadConfiguration({ ...process.env, PROCTOR_CONFIG: folder });
}

/**
 * A misspelt suite or architecture would hold nothing and serve nothing.
 * @throws when one of them is not tested here
 */
export async function checkTested({
  suite,
  arch = [],
}: {
  suite?: string;
  arch?: string | string[];
}): Promise<void> {
  const { suites, architectures } = (await readConfiguration()).server;
  const check = (key: string, name: string | undefined, known: string[]): void => {
    if (name === undefined || known.includes(name)) return;
    throw new Error(`${key} ${name} is not in ${configurationFolder()}: there is ${known.join(', ')}`);
  };
  check('suite', suite, suites);
  for (const each of [arch].flat()) check('arch', each, architectures);
}
