import { resolve } from 'node:path';
import { configurationFolder } from './load';

/** Files and folders of credentials that the environment may name. */
const CREDENTIALS = ['PROCTOR_NATS_CREDENTIALS', 'PROCTOR_NATS_USERS', 'PROCTOR_NATS_ACCOUNTS'];

/**
 * Where a deployment's configuration, credentials, databases and results lie on this machine: no test may see them. The
 * worker's own folder, which may lie in the home, is the sandbox's affair.
 */
export function deploymentPaths({ home }: { home: string }, env: NodeJS.ProcessEnv): string[] {
  const named = CREDENTIALS.flatMap((name) => (env[name] ? [resolve(env[name])] : []));
  return [home, configurationFolder(env), ...named];
}
