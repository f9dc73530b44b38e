import { readFile } from 'node:fs/promises';
import { Home, HomeLock } from '@proctor/embedded';
import { projectFolder } from './project';

/**
 * The address of a service: what the environment says, else that of the Proctor that runs on the home.
 * @param fileOf where the home keeps it
 * @throws when there is neither
 */
export async function addressOf(
  variable: string,
  service: string,
  fileOf: (home: Home) => string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const named = env[variable];
  if (named) return named;
  const home = await Home.find(env, projectFolder());
  await requireRunning(home, service, variable);
  try {
    return (await readFile(fileOf(home), 'utf8')).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EACCES') {
      throw new Error(`${home.path} belongs to another user: run this as that user`, { cause: error });
    }
    if (code === 'ENOENT') throw new Error(notRunning(home, service, variable), { cause: error });
    throw error;
  }
}

/** @throws when no Proctor runs on the home */
export async function requireRunning(home: Home, service: string, variable: string): Promise<void> {
  if (!(await HomeLock.holder(home.lock))) throw new Error(notRunning(home, service, variable));
}

function notRunning(home: Home, service: string, variable: string): string {
  return (
    `Proctor does not run on ${home.path}. Start it first (npm start),` +
    ` or name its home in PROCTOR_HOME or its ${service} in ${variable}`
  );
}
