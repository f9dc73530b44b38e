import { join } from 'node:path';
import { Home, runApp } from '@proctor/embedded';
import { configurationFolder } from '../configuration';
import { projectFolder } from '../project';

/** Lets the worker's own code look at this machine and print what it can do. @throws when it cannot run tests */
export async function checkWorker(): Promise<void> {
  const home = await Home.findHome(process.env, projectFolder());
  await home.prepare();
  const code = await runApp(join(__dirname, '../../../worker/src/check-machine.js'), {
    ...process.env,
    PROCTOR_HOME: home.path,
    PROCTOR_CONFIG: configurationFolder(),
  });
  if (code !== 0) throw new Error('a worker on this machine could not run tests');
}
