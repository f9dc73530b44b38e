import { dirname, resolve } from 'node:path';
import { configurationFolder } from './load';

/** Variables of the environment that name files, or a folder of files. */
const FILES = ['PROCTOR_NATS_CREDENTIALS', 'PROCTOR_NATS_ACCOUNTS'];
const FOLDER = 'PROCTOR_NATS_USERS';

/** `/etc`, `/usr/share`, `/var/lib`: what tests need lies there too. */
const SHARED = /^\/([^/]+)?$|^\/(usr|var)\/[^/]+$/;

/**
 * Where a deployment's configuration, credentials, databases and results are on this machine: no test may see them. The
 * sandbox itself takes care of the worker's own folder, which may be in the home. A file is represented by its folder if the folder is private:
 * a cover over the file itself would be lost when another file is renamed into its place.
 */
export function deploymentPaths({ home }: { home: string }, env: NodeJS.ProcessEnv): string[] {
  const files = FILES.flatMap((name) => (env[name] ? [resolve(env[name])] : []));
  const folders = env[FOLDER] ? [resolve(env[FOLDER])] : [];
  return [home, configurationFolder(env), ...files.map(ownFolder), ...folders];
}

function ownFolder(file: string): string {
  const folder = dirname(file);
  return SHARED.test(folder) ? file : folder;
}
