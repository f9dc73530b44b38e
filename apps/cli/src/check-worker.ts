import { join } from 'node:path';
import { Home, runApp } from '@proctor/embedded';
import { projectFolder } from './project';

/** Lets the worker's own code look at this machine and print what it can do. @throws when it cannot run tests */
export async function checkWorker(): Promise<void> {
  const project = projectFolder();
  const home = await Home.find(process.env, project);
  await home.prepare();
  const code = await runApp(join(__dirname, '../../worker/src/check-machine.js'), {
    ...process.env,
    PROCTOR_HOME: home.path,
    PROCTOR_CONFIG: process.env['PROCTOR_CONFIG'] ?? join(project, 'config'),
  });
  if (code !== 0) throw new Error('a worker on this machine could not run tests');
}
