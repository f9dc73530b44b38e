import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Home, HomeLock } from '@proctor/embedded';
import { configurationFolder } from '../configuration';
import { projectFolder } from '../project';

/** The parts of Proctor that a machine has. */
export interface InstalledParts {
  hasServer: boolean;
  hasWorker: boolean;
  /** The environment names a database. */
  namesDatabase: boolean;
  /** `npm start` runs on the home. */
  isStarted: boolean;
  /** The folder of the configuration has a file of the worker. */
  hasWorkerFile: boolean;
  hasServerFile: boolean;
}

/** The services that a machine should run. */
export interface Role {
  isServer: boolean;
  isWorker: boolean;
}

/**
 * Derives the role from what is installed and configured. If neither decides, `npm start` would run both, so both are
 * true.
 */
export function roleOf(installed: InstalledParts): Role {
  const { hasServer, hasWorker, namesDatabase, isStarted, hasWorkerFile, hasServerFile } = installed;
  const isWorkerAlone = hasWorkerFile && !hasServerFile && !namesDatabase && !isStarted;
  return {
    isServer: hasServer && !isWorkerAlone,
    isWorker: hasWorker && (hasWorkerFile || !namesDatabase),
  };
}

/** The role of this machine. */
export async function ownRole(): Promise<Role> {
  const home = await Home.findHome(process.env, projectFolder());
  const app = (path: string): boolean => existsSync(join(__dirname, '../../..', path));
  return roleOf({
    hasServer: app('scheduler/src/main.js'),
    hasWorker: app('worker/src/check-machine.js'),
    namesDatabase: Boolean(process.env['PROCTOR_DATABASE_URL']),
    isStarted: (await HomeLock.holder(home.lock).catch(() => null)) !== null,
    hasWorkerFile: existsSync(join(configurationFolder(), 'worker.yaml')),
    hasServerFile: existsSync(join(configurationFolder(), 'proctor.yaml')),
  });
}
