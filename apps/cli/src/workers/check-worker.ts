import { join } from 'node:path';
import { Home, runApp } from '@proctor/embedded';
import { configurationFolder } from '../configuration';
import { projectFolder } from '../project';

/**
 * Checks this machine with the worker's own code, which prints what the machine can run. @throws Error if it cannot run
 * tests
 */
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
