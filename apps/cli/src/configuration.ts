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
