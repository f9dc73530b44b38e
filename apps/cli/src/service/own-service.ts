import { Home, HomeLock } from '@proctor/embedded';
import { EXIT, Failure } from '../failure';
import { projectFolder } from '../project';
import { HOW_TO_NAME_ONE, type ServiceAddress } from './address';
import { keyIn, ofAnother } from './home-key';

/**
 * The service of this machine: the one that works on the database of the environment, else the Proctor that runs on the home.
 * @throws Failure when there is neither
 */
export async function ownService(env: NodeJS.ProcessEnv): Promise<ServiceAddress> {
  const home = await Home.find(env, projectFolder());
  if (env['PROCTOR_DATABASE_URL']) {
    // Loading the database takes longer than asking the service.
    const { serviceOfDatabase } = await import('./service-of-database');
    return serviceOfDatabase(home, env);
  }
  const holder = await HomeLock.holder(home.lock).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') throw ofAnother(home.path, error);
    throw error;
  });
  if (holder === null) {
    throw new Failure(
      `no service is named, and Proctor does not run on ${home.path}`,
      EXIT.tryLater,
      `start it (npm start), or ${HOW_TO_NAME_ONE}`,
    );
  }
  const key = env['PROCTOR_API_KEY'] || (await keyIn(home.adminKey));
  if (key === null) {
    const advice = 'make a key (proctor key create admin --name cli) and say it in PROCTOR_API_KEY';
    throw new Failure(`${home.adminKey} is not there`, EXIT.key, advice);
  }
  return { url: holder.url, key, origin: home.adminKey };
}
