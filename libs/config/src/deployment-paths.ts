import { dirname, resolve } from 'node:path';
import { configurationFolder } from './load';

/** What the environment may name: files, and a folder of them. */
const FILES = ['PROCTOR_NATS_CREDENTIALS', 'PROCTOR_NATS_ACCOUNTS'];
const FOLDER = 'PROCTOR_NATS_USERS';

/** `/etc`, `/usr/share`, `/var/lib`: what tests need lies there too. */
const SHARED = /^\/([^/]+)?$|^\/(usr|var)\/[^/]+$/;

/**
 * Where a deployment's configuration, credentials, databases and results lie on this machine: no test may see them. The
 * worker's own folder, which may lie in the home, is the sandbox's affair. A file is named by its folder where that is its own:
 * what covers a file goes when another is renamed into its place.
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
