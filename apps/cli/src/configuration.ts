import { join, resolve } from 'node:path';
import { loadConfiguration, type Configuration } from '@proctor/config';
import { Home } from '@proctor/embedded';
import { projectFolder } from './project';

/** The folder that `PROCTOR_CONFIG` names, else the one of this program, whatever the current directory is. */
export function configurationFolder(): string {
  return resolve(process.env['PROCTOR_CONFIG'] ?? join(projectFolder(), 'config'));
}

/**
 * Reads a configuration folder as the service would.
 * @throws ConfigurationError with all problems
 */
export function readConfiguration(folder = configurationFolder()): Promise<Configuration> {
  return loadConfiguration({ ...process.env, PROCTOR_CONFIG: folder });
}

/**
 * The configuration of the service on this machine. Relative paths in it start at the home, whatever the current
 * directory is.
 */
export async function ownConfiguration(): Promise<Configuration> {
  const { path } = await Home.findHome(process.env, projectFolder());
  return loadConfiguration({ ...process.env, PROCTOR_CONFIG: configurationFolder(), PROCTOR_HOME: path });
}
