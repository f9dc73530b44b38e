import { join } from 'node:path';
import { AppProcess, stopLeftOverApp, type Home } from '@proctor/embedded';
import { escapeLine } from '@proctor/process';

export const APPS = ['api', 'scheduler', 'worker'] as const;
export type AppName = (typeof APPS)[number];

/**
 * By default each Node.js process collects 48 MiB of short-lived objects before it frees any. The scheduler gets a
 * larger limit than the others: it creates so many objects that freeing them after 6 MiB would cost a sixth of its
 * speed.
 */
export const NODE_OPTIONS: Record<AppName, string[]> = {
  api: ['--max-semi-space-size=2'],
  scheduler: ['--max-semi-space-size=4'],
  worker: ['--max-semi-space-size=2'],
};

const NAME_WIDTH = Math.max(...APPS.map((name) => name.length));

/** The process of an app of this build. Its lines go to standard output after its name. */
export function appProcess(name: AppName, env: NodeJS.ProcessEnv, home: Home): AppProcess {
  return new AppProcess({
    name,
    main: join(__dirname, `../../../${name}/src/main.js`),
    env,
    nodeOptions: NODE_OPTIONS[name],
    identityFile: home.processFile(name),
    // At SIGTERM a worker finishes its tests first, which may take hours.
    stopSignal: name === 'worker' ? 'SIGINT' : 'SIGTERM',
    // A program that crashes prints texts of other origin unchanged, so they are escaped here.
    onLine: (line) => console.log(`${name.padEnd(NAME_WIDTH)} | ${escapeLine(line)}`),
  });
}

/** Waits for the apps of an earlier run that was killed: they end by themselves. */
export async function endLeftOverApps(home: Home): Promise<void> {
  await Promise.all(APPS.map((name) => stopLeftOverApp(home.processFile(name))));
}
